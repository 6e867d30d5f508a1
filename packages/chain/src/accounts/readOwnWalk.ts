import type { CoverageWalk } from "@dueday/core/walk/walkCoverage";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { type AccountRow, accountRowsRead } from "../reads/readAccountRows";
import { readMany } from "../reads/readMany";
import type { CoverageReader } from "../walk/createCoverageReader";
import { estimateCoverage, plansOfRows } from "../walk/estimateCoverage";
import { expectAccountRows } from "./accountRow";

export type OwnWalkParameters = {
  contract: Address;
  account: Address;
  /** All that the account subscribed to, where it was read already. */
  rows?: readonly AccountRow[];
  coverage: CoverageReader;
  block: ChainBlock;
};

/**
 * The joint walk; where the node can't read the contract's state in time, an estimate from the account's own plans. Throws ServiceError
 * UPSTREAM_* where the node fails.
 */
export async function readOwnWalk(
  client: ChainClient,
  { contract, account, rows, coverage, block }: OwnWalkParameters,
): Promise<CoverageWalk> {
  const walk = await coverage.read(client, block);
  if (walk !== null) return walk;
  const own = rows ?? (await readRows(client, { contract, account, block }));
  return estimateCoverage(client, { contract, plans: plansOfRows(account, own), block });
}

async function readRows(
  client: ChainClient,
  { contract, account, block }: Omit<OwnWalkParameters, "rows" | "coverage">,
) {
  const [result] = await readMany(client, [accountRowsRead(contract, { account, bySubscriber: true })], block);
  return expectAccountRows(result);
}

import type { CoverageWalk } from "@dueday/core/walk/walkCoverage";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import type { AccountRow } from "../reads/readAccountRows";
import type { CoverageReader } from "./createCoverageReader";
import { estimateCoverage, plansOfRows } from "./estimateCoverage";

export type AccountWalkParameters = {
  contract: Address;
  account: Address;
  /** All that the account subscribed to. */
  rows: readonly AccountRow[];
  coverage: CoverageReader;
  block: ChainBlock;
};

/**
 * The joint walk, or where the node can't read the contract's state in time the estimate from the account's own plans; null where the account
 * has no plans either. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function readAccountWalk(
  client: ChainClient,
  { contract, account, rows, coverage, block }: AccountWalkParameters,
): Promise<CoverageWalk | null> {
  const walk = await coverage.read(client, block);
  if (walk !== null) return walk;
  const plans = plansOfRows(account, rows);
  return plans.length === 0 ? null : estimateCoverage(client, { contract, plans, block });
}

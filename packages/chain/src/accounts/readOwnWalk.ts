import type { CoverageWalk } from "@dueday/core/walk/walkCoverage";
import type { ChainClient } from "../client/createChainClient";
import { accountRowsRead } from "../reads/readAccountRows";
import { readMany } from "../reads/readMany";
import { estimateCoverage, plansOfRows } from "../walk/estimateCoverage";
import type { AccountWalkParameters } from "../walk/readAccountWalk";
import { expectAccountRows } from "./accountRow";

/**
 * The joint walk of an account whose rows are not known. Where the node can't read the contract's state in time, the rows are read, and the
 * walk is an estimate from them. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function readOwnWalk(
  client: ChainClient,
  { contract, account, coverage, block }: Omit<AccountWalkParameters, "rows">,
): Promise<CoverageWalk> {
  const walk = await coverage.read(client, block);
  if (walk !== null) return walk;
  const [result] = await readMany(client, [accountRowsRead(contract, { account, bySubscriber: true })], block);
  return estimateCoverage(client, { contract, plans: plansOfRows(account, expectAccountRows(result)), block });
}

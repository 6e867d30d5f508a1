import type { DueDay } from "@dueday/core/snapshots/dueDay";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { buildDueDay } from "./buildDueDay";
import { readDueFacts } from "./readDueFacts";
import { readDueLists } from "./readDueLists";

export type ReadDueDaysParameters = {
  contract: Address;
  /** Day numbers, any calendar days. */
  days: readonly number[];
  block: ChainBlock;
};

/**
 * What the due lists hold at `block` for each of `days`, in their order: lists in the contract's order, DUE_LIST_LIMIT entries
 * of each, totals over all. Throws ServiceError UPSTREAM_* where the node does not answer, or a list is too long to be read.
 */
export async function readDueDays(
  client: ChainClient,
  { contract, days, block }: ReadDueDaysParameters,
): Promise<DueDay[]> {
  const listsOf = await readDueLists(client, { contract, days, block });
  const ids = new Set(days.flatMap((day) => listsOf(day).flatMap((list) => list.ids)));
  const facts = await readDueFacts(client, { contract, ids: [...ids], block });
  return days.map((day) => buildDueDay(day, listsOf(day), facts));
}

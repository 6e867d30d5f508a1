import type { DueDay } from "@dueday/core/snapshots/dueDay";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { buildDueDay } from "./buildDueDay";
import { expectValue, protocolRead } from "./protocolRead";
import { readActiveCounts } from "./readActiveCounts";
import { readDueLists } from "./readDueLists";
import { readSubscriptions } from "./readSubscriptions";
import { readTable } from "./readTable";
import { readTokenInfos } from "./readTokenInfos";

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
  const ids = new Set<Hex>();
  for (const day of days) for (const list of listsOf(day)) for (const id of list.ids) ids.add(id);
  const records = await readSubscriptions(client, { contract, ids: [...ids], block });
  const subscriptions = [...records.values()];
  const tokens = [...new Set(subscriptions.map((subscription) => subscription.token))];
  const [activeCounts, infos, tokenRows] = await Promise.all([
    readActiveCounts(client, { contract, subscriptions, block }),
    readTokenInfos(client, { contract, tokens, block }),
    readTable(client, tokens, (token) => [protocolRead(contract, "approvedERC20", [token])], block),
  ]);
  const pausedTokens = new Set<Address>();
  for (const { key: token, results } of tokenRows) {
    const [, , paused] = expectValue(results[0], "approvedERC20");
    if (paused) pausedTokens.add(token);
  }
  return days.map((day) => buildDueDay(day, listsOf(day), { records, activeCounts, pausedTokens, tokens: infos }));
}

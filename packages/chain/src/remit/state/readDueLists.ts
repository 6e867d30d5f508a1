import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { dueDayOf, FREQUENCIES, type Frequency, lastDueDay } from "@dueday/core/calendar/frequency";
import { dueKey, type RemitState } from "@dueday/core/remit/state";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { expectList, protocolRead } from "../../reads/protocolRead";
import { readTable } from "../../reads/readTable";
import type { BulkReads } from "./bulkReads";
import type { ListName } from "./readLongList";

/** Ids in list order; the contract processes them from the last to the first. */
export type DueIds = { frequency: Frequency; dueDay: number; ids: readonly Hex[] };

/** The four due lists of a day that was read, weekly first; a due day that no subscription can have, such as the 31st of a month, has an empty list. */
export type DueLists = (day: number) => DueIds[];

export type ListKey = { frequency: Frequency; dueDay: number };

/** Reads the due lists of `days` (day numbers), each list once. See `readIdLists`; `bulk` is null by default. */
export async function readDueLists(
  client: ChainClient,
  {
    contract,
    days,
    block,
    bulk = null,
  }: { contract: Address; days: Iterable<number>; block: ChainBlock; bulk?: BulkReads | null },
): Promise<DueLists> {
  const keys = listsOfDays(days);
  const lists = await readIdLists(client, { contract, lists: [...keys.values()], block, bulk });
  const byKey = new Map([...keys.keys()].map((key, index) => [key, lists[index] ?? []]));
  return dueListsIn({ dueLists: byKey });
}

/** The due lists of a state. */
export function dueListsIn({ dueLists }: Pick<RemitState, "dueLists">): DueLists {
  return (day) => listsOf(day).map((key) => ({ ...key, ids: dueLists.get(dueKey(key.frequency, key.dueDay)) ?? [] }));
}

export type ReadIdListsParameters = {
  contract: Address;
  lists: readonly ListName[];
  block: ChainBlock;
  bulk: BulkReads | null;
};

/**
 * The ids of each due list, in the contract's order. A list that is too long for the view (with geth's 50 million gas, beyond about 20,000
 * ids) is read from storage, in parts, by `bulk`. Throws ServiceError UPSTREAM_ERROR where the node gives neither: a list is never cut.
 */
export async function readIdLists(
  client: ChainClient,
  { contract, lists, block, bulk }: ReadIdListsParameters,
): Promise<(readonly Hex[])[]> {
  const rows = await readTable(
    client,
    lists,
    ({ frequency, dueDay }) => [protocolRead(contract, "getIdByTime", [BigInt(frequency), dueDay])],
    block,
  );
  const found: (readonly Hex[])[] = [];
  for (const { key, results } of rows) {
    const [ids] = results;
    const long = !ids.ok && ids.outOfGas ? await bulk?.readLongList(client, { contract, list: key, block }) : null;
    found.push(long ?? expectList(ids, "getIdByTime"));
  }
  return found;
}

/**
 * The due lists of `days` by their keys: at most 7 + 28 + 90 + 365, for any number of days. A due day that no subscription can
 * have has no list.
 */
export function listsOfDays(days: Iterable<number>): Map<number, ListKey> {
  const lists = new Map<number, ListKey>();
  for (const day of days) {
    for (const key of listsOf(day)) {
      if (key.dueDay <= lastDueDay(key.frequency)) lists.set(dueKey(key.frequency, key.dueDay), key);
    }
  }
  return lists;
}

function listsOf(day: number): ListKey[] {
  const calendar = calendarDay(day);
  return FREQUENCIES.map((frequency) => ({ frequency, dueDay: dueDayOf(calendar, frequency) }));
}

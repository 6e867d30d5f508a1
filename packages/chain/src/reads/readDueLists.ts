import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { dueDayOf, FREQUENCIES, type Frequency, lastDueDay } from "@dueday/core/calendar/frequency";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectList, protocolRead } from "./protocolRead";
import { readTable } from "./readTable";

/** Ids in list order; the contract processes them from the last to the first. */
export type DueIds = { frequency: Frequency; dueDay: number; ids: readonly Hex[] };

/** The four due lists of a day that was read, weekly first; a number that no subscription can have has an empty list. */
export type DueLists = (day: number) => DueIds[];

/** There are at most 7 + 28 + 90 + 365 lists, for any number of days. */
type ListKey = { frequency: Frequency; dueDay: number };

/**
 * Reads the due lists of `days` (day numbers), each list once. Throws ServiceError UPSTREAM_ERROR for a list so long
 * that the node can't read it in one call (with geth's 50 million gas, about 20,000 ids): it is never cut.
 */
export async function readDueLists(
  client: ChainClient,
  { contract, days, block }: { contract: Address; days: Iterable<number>; block: ChainBlock },
): Promise<DueLists> {
  const keys = new Map<string, ListKey>();
  for (const day of days) {
    for (const key of listsOf(day)) {
      if (key.dueDay <= lastDueDay(key.frequency)) keys.set(nameOf(key), key);
    }
  }
  const rows = await readTable(
    client,
    [...keys.values()],
    ({ frequency, dueDay }) => [protocolRead(contract, "getIdByTime", [BigInt(frequency), dueDay])],
    block,
  );
  const lists = new Map(rows.map(({ key, results: [ids] }) => [nameOf(key), expectList(ids, "getIdByTime")]));
  return (day) => listsOf(day).map((key) => ({ ...key, ids: lists.get(nameOf(key)) ?? [] }));
}

function listsOf(day: number): ListKey[] {
  const calendar = calendarDay(day);
  return FREQUENCIES.map((frequency) => ({ frequency, dueDay: dueDayOf(calendar, frequency) }));
}

function nameOf({ frequency, dueDay }: ListKey): string {
  return `${frequency}:${dueDay}`;
}

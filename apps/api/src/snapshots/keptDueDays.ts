import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { FORECAST_DAYS } from "@dueday/core/remit/forecastFromPlan";
import type { DueDayHead } from "@dueday/core/snapshots/dueDay";
import type { Hex } from "viem";
import { isOutdated } from "../health/isOutdated";
import { provenAt, type SnapshotCache } from "./snapshotCache";

/** Due days whose sums are in memory, all true at one block. */
export type KeptDueDays = { blockHash: Hex; heads: ReadonlyMap<number, DueDayHead> };

/**
 * Those of `days` that a scan keeps: today and the days that are forecast. Null where `days` has none of them, where it has a later day
 * (whose payments depend on the plan), or where the snapshot of one is missing, outdated, or not of the newest block; also where that block
 * is before `minBlock`.
 */
export function keptDueDays(
  snapshots: SnapshotCache,
  days: readonly number[],
  { minBlock, ...age }: { minBlock: bigint; now: number; staleAfterMs: number },
): KeptDueDays | null {
  const newest = snapshots.newest();
  if (newest === null || BigInt(newest.stamp.blockNumber) < minBlock) return null;
  const today = dayNumber(newest.stamp.blockTimestamp);
  const coming = days.filter((day) => day >= today);
  if (coming.length === 0 || coming.some((day) => day > today + FORECAST_DAYS)) return null;
  const heads = new Map<number, DueDayHead>();
  for (const day of coming) {
    const held = snapshots.get("due", String(day));
    if (held === null || held.orphaned || isOutdated(provenAt(held), age)) return null;
    if (held.stamp.blockHash !== newest.stamp.blockHash) return null;
    heads.set(day, held.payload);
  }
  return { blockHash: newest.stamp.blockHash, heads };
}

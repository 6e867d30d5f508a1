import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { ServedChain } from "../context";

/** The day of the chain's latest known block, by the node's head or the newest snapshot; null while neither is known. */
export function currentDay({ monitor, snapshots }: ServedChain): number | null {
  const timestamps = [monitor.head()?.timestamp, snapshots.newest()?.stamp.blockTimestamp];
  const known = timestamps.filter((timestamp) => timestamp !== undefined).map(Number);
  return known.length === 0 ? null : dayNumber(Math.max(...known));
}

import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { ServedChain } from "./servedChain";

/** The day of the chain's latest known block, from the node's head or the newest snapshot; null while neither is known. */
export function currentDay({ monitor, snapshots }: ServedChain): number | null {
  const head = monitor.head()?.timestamp;
  const scanned = snapshots.newest()?.stamp.blockTimestamp;
  if (head === undefined && scanned === undefined) return null;
  return dayNumber(Math.max(Number(head ?? 0), Number(scanned ?? 0)));
}

import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { dayNumber } from "@dueday/core/calendar/dayNumber";

/** Days after today whose due lists are scanned. */
const DAYS_AHEAD = 35;

/** The day numbers that `scan_due` reads: the day of the block and the next 35. */
export function scannedDays(block: ChainBlock): number[] {
  const today = dayNumber(block.timestamp);
  return Array.from({ length: DAYS_AHEAD + 1 }, (_, index) => today + index);
}

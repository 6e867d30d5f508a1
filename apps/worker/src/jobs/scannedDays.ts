import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { FORECAST_DAYS } from "@dueday/core/remit/forecastFromPlan";

/** The day numbers that `scan_due` reads: the day of the block and those that are forecast. */
export function scannedDays(block: ChainBlock): number[] {
  const today = dayNumber(block.timestamp);
  return Array.from({ length: FORECAST_DAYS + 1 }, (_, index) => today + index);
}

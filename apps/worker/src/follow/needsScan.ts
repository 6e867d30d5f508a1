import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { ChainUpdate } from "../logs/chainUpdate";

/** Whether there are new or late events of the contract, or one of the new blocks begins a UTC day; true also where this is not known. */
export function needsScan({ after, head, logs, lateLogs }: ChainUpdate): boolean {
  if (after === null || logs === null) return true;
  return logs.length + lateLogs.length > 0 || dayNumber(head.timestamp) !== dayNumber(after.timestamp);
}

import type { Frequency } from "./frequency";
import { nextDueDay } from "./nextDueDay";

export type NextChargeDayParameters = {
  frequency: Frequency;
  dueDay: number;
  /** The first day that remit() has not closed. It may lie in the past: then remit() is late. */
  nextUncheckedDay: number;
  /** Whether remit() charges on a due day from nextUncheckedDay on. By default it charges on each. */
  isCharged?: (day: number) => boolean;
};

/**
 * The next day on which remit() charges for a subscription: the meaning of `nextDueDate` in every answer. Closed days
 * are not charged any more; a past day that is not closed is still charged.
 */
export function nextChargeDay({
  frequency,
  dueDay,
  nextUncheckedDay,
  isCharged = () => true,
}: NextChargeDayParameters): number {
  let day = nextDueDay(frequency, dueDay, nextUncheckedDay);
  while (!isCharged(day)) day = nextDueDay(frequency, dueDay, day + 1);
  return day;
}

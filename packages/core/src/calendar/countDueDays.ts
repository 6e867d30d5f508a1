import type { Frequency } from "./frequency";
import { nextDueDay } from "./nextDueDay";

export type CountDueDaysParameters = {
  frequency: Frequency;
  dueDay: number;
  /** First day number that counts. */
  from: number;
  /** Last day number that counts. */
  to: number;
};

/**
 * The number of due days of a subscription from `from` to `to`, both included; 0 where `from` comes after `to`. From nextUncheckedDay
 * to today it is the number of whole amounts that a late remit still charges to a new subscriber (protocol part 7, Late keepers).
 */
export function countDueDays({ frequency, dueDay, from, to }: CountDueDaysParameters): number {
  let count = 0;
  for (let day = nextDueDay(frequency, dueDay, from); day <= to; day = nextDueDay(frequency, dueDay, day + 1)) count++;
  return count;
}

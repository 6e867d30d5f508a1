const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;
const PERIODS = ["week", "month", "quarter", "year"] as const;

/** Highest due day by frequency: weekly, monthly, quarterly, yearly. */
export const LAST_DUE_DAY = [7, 28, 90, 365] as const;

/** The period that a subscription is paid for: "month". */
export function periodOf(frequency: number): string {
  return PERIODS[frequency] ?? "period";
}

/** When a subscription is paid: "each Monday", "on day 5 of each month". */
export function describeDueDay(frequency: number, dueDay: number): string {
  const weekday = frequency === 0 ? WEEKDAYS[dueDay - 1] : undefined;
  return weekday === undefined ? `on day ${dueDay} of each ${periodOf(frequency)}` : `each ${weekday}`;
}

/** The name of a due day in a list of choices: "Monday", "day 5". */
export function nameDueDay(frequency: number, dueDay: number): string {
  return (frequency === 0 ? WEEKDAYS[dueDay - 1] : undefined) ?? `day ${dueDay}`;
}

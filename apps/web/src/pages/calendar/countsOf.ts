import type { Operations } from "@dueday/sdk";

export type CalendarDay = Operations["getDueCalendar"]["output"]["days"][number];

/** The counts of a day with their names and signs. On a narrow screen a sign stands for the name, which appears only below the month. */
export const countNames = [
  ["open", "open", "●"],
  ["upcoming", "to come", "○"],
  ["failing", "will fail", "!"],
  ["settled", "settled", "✓"],
  ["failed", "failed", "✕"],
  ["missed", "missed", "»"],
] as const;

/** The counts of a day that are not 0, with their names and signs. */
export function countsOf({ open, upcoming, settled, failed, missed, expectedFailures }: CalendarDay) {
  const counts = {
    open: open.payments,
    upcoming: upcoming.payments,
    failing: expectedFailures,
    settled: settled?.payments ?? 0,
    failed: failed?.payments ?? 0,
    missed: missed.payments,
  };
  return countNames
    .map(([key, name, sign]) => ({ key, name, sign, count: counts[key] }))
    .filter(({ count }) => count > 0);
}

/** The amounts of a day in each token, in the order of the counts: open, to come, settled and missed. */
export function amountsOf({
  open,
  upcoming,
  settled,
  missed,
}: Pick<CalendarDay, "open" | "upcoming" | "settled" | "missed">) {
  return [open, upcoming, settled, missed].flatMap((sum) => sum?.byToken ?? []);
}

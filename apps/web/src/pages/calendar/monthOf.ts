/** Months are texts such as 2026-03, in UTC. */

/** The month `count` months later; earlier if it is negative. */
export function addMonths(month: string, count: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7);
}

const WEEK = 7;

/** The column of a date in a week that begins on Monday, 0 to 6. */
export function weekdayOf(date: string): number {
  return (new Date(`${date}T00:00:00Z`).getUTCDay() + WEEK - 1) % WEEK;
}

/** The days of a month in rows of a week; null where a row has a day of another month. */
export function weeksOf<Day extends { date: string | null }>(days: readonly Day[]): (Day | null)[][] {
  const first = days[0]?.date;
  const cells: (Day | null)[] = [...Array<null>(first == null ? 0 : weekdayOf(first)).fill(null), ...days];
  while (cells.length % WEEK > 0) cells.push(null);
  return Array.from({ length: cells.length / WEEK }, (_, row) => cells.slice(row * WEEK, row * WEEK + WEEK));
}

const DAY_SECONDS = 86_400;

const formats = {
  date: new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }),
  day: new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }),
  weekday: new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" }),
  month: new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }),
  time: new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hour12: false,
  }),
};

/** Days of the protocol are days in UTC, so every date is shown in UTC. `date` is YYYY-MM-DD, or YYYY-MM for a month. */
export function formatDate(date: string, form: Exclude<keyof typeof formats, "time"> = "date"): string {
  const instant = new Date(`${date.length === 7 ? `${date}-01` : date}T00:00:00Z`);
  return Number.isNaN(instant.getTime()) ? date : formats[form].format(instant);
}

/** An instant, in UTC. @param seconds unix seconds */
export function formatTime(seconds: number): string {
  const instant = new Date(seconds * 1000);
  return Number.isNaN(instant.getTime()) ? String(seconds) : `${formats.time.format(instant)} UTC`;
}

/** An instant of an answer, in UTC. @param iso ISO 8601 */
export function formatInstant(iso: string): string {
  return formatTime(Date.parse(iso) / 1000);
}

/** The date of a day number (whole days since 1970-01-01 UTC), YYYY-MM-DD. */
export function dateOfDay(dayNumber: number): string {
  return new Date(dayNumber * DAY_SECONDS * 1000).toISOString().slice(0, 10);
}

const UNITS = [
  ["d", DAY_SECONDS],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** A duration by its two largest units: `2 d 3 h`, `45 s`. @param seconds whole or not, not negative */
export function formatDuration(seconds: number): string {
  let rest = Math.max(0, Math.floor(seconds));
  const first = UNITS.findIndex(([, length]) => rest >= length);
  if (first === -1) return "0 s";
  const parts: string[] = [];
  for (const [unit, length] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(" ");
}

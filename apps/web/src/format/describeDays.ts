import { formatInteger } from "./formatAmount";
import { dateOfDay, formatDate } from "./formatDate";

/** The first and the last of these day numbers: `16 Nov`, `16 Nov – 18 Nov`, or a dash where there is none. */
export function describeDays(days: readonly number[]): string {
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return "–";
  const name = (day: number) => formatDate(dateOfDay(day), "day");
  return first === last ? name(first) : `${name(first)} – ${name(last)}`;
}

/** `none of them`, `3 of them`: a part of what was just counted. */
export function someOf(count: number): string {
  return count === 0 ? "none of them" : `${formatInteger(count)} of them`;
}

/** `1 payment`, `2 payments`. @param plural where it is not the noun with an s */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatInteger(count)} ${count === 1 ? noun : plural}`;
}

const SECONDS = { second: 1, minute: 60, hour: 3_600, day: 86_400, week: 604_800 } as const;
type Unit = keyof typeof SECONDS;

/** A whole number and its unit, such as `30 days` or `1 hour`. A month has no fixed length: pass `{ to: date }`. */
export type Duration = `${number} ${Unit | `${Unit}s`}`;

/** The seconds of a duration. @throws TypeError naming what is allowed */
export function parseDuration(text: string): number {
  const [, count = "", unit = ""] = /^([1-9]\d{0,8}) (second|minute|hour|day|week)s?$/.exec(text) ?? [];
  // A key of SECONDS by the pattern, or empty where the text does not match: then the result is NaN.
  const seconds = SECONDS[unit as Unit] * Number(count);
  if (Number.isSafeInteger(seconds)) return seconds;
  const units = Object.keys(SECONDS).map((each) => `${each}s`);
  throw new TypeError(
    `"${text}" is not a duration: write a whole number and one of ${units.join(", ")}, such as "30 days"`,
  );
}

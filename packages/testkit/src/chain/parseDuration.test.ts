import { expect, test } from "bun:test";
import { parseDuration } from "./parseDuration";

test("a whole number and a unit, singular or plural, is a number of seconds", () => {
  const seconds = ["1 second", "90 minutes", "1 hour", "30 days", "2 weeks"].map(parseDuration);
  expect(seconds).toEqual([1, 5_400, 3_600, 2_592_000, 1_209_600]);
});

test.each(["", "days", "0 days", "-1 days", "1.5 days", "1 month", "1  day", "1 toString", "9999999999 weeks"])(
  "%p is refused with the units",
  (text) => {
    expect(() => parseDuration(text)).toThrow("a whole number and one of seconds, minutes, hours, days, weeks");
  },
);

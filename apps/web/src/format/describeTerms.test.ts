import { expect, test } from "bun:test";
import { describeDueDay, nameDueDay } from "./describeTerms";

test.each<[number, number, string, string]>([
  [0, 1, "each Monday", "Monday"],
  [0, 7, "each Sunday", "Sunday"],
  [1, 28, "on day 28 of each month", "day 28"],
  [2, 90, "on day 90 of each quarter", "day 90"],
  [3, 365, "on day 365 of each year", "day 365"],
  // The contract accepts days that no period has.
  [0, 9, "on day 9 of each week", "day 9"],
])("frequency %d, due day %d is %s", (frequency, dueDay, sentence, name) => {
  expect(describeDueDay(frequency, dueDay)).toBe(sentence);
  expect(nameDueDay(frequency, dueDay)).toBe(name);
});

import { expect, test } from "bun:test";
import { formatNextDue } from "./formatNextDue";

test.each([
  ["2026-11-16", "overdue since 16 Nov 2026"],
  ["2026-11-17", "17 Nov 2026"],
  ["2027-01-01", "1 Jan 2027"],
])("a payment of %s is, in the last second of 17 November, %s", (date, text) => {
  expect(formatNextDue(date, { blockTimestamp: Date.UTC(2026, 10, 17, 23, 59, 59) / 1000 })).toBe(text);
});

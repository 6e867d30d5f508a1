import { expect, test } from "bun:test";
import { daysText } from "./planText";

test("a long run of days is shortened to its ends", () => {
  expect(daysText([20_000, 20_001, 20_002, 20_003])).toBe("2024-10-04 .. 2024-10-07 (4 days)");
  expect(daysText([])).toBe("-");
});

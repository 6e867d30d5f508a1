import { expect, test } from "bun:test";
import { latestErrorOf } from "./latestErrorOf";

const refused = new Error("refused");

test("an error is shown until another action is started, whatever came of it", () => {
  const idle = { error: null, submittedAt: 0 };
  expect(latestErrorOf(idle, idle)).toBeNull();
  expect(latestErrorOf(idle, { error: refused, submittedAt: 5 })).toBe(refused);
  expect(latestErrorOf({ error: null, submittedAt: 6 }, { error: refused, submittedAt: 5 })).toBeNull();
});

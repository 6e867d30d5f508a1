import { expect, test } from "bun:test";
import { createBlockFloor } from "./createBlockFloor";

test("answers are held to the highest block that was raised to, for a minute after the last one", () => {
  let now = 0;
  const floor = createBlockFloor(() => now);
  expect(floor.get()).toBeUndefined();
  floor.raise(7n);
  floor.raise(5n);
  expect(floor.get()).toBe(7n);
  now = 59_999;
  expect(floor.get()).toBe(7n);
  now = 60_000;
  expect(floor.get()).toBeUndefined();
  floor.raise(3n);
  expect(floor.get()).toBe(3n);
});

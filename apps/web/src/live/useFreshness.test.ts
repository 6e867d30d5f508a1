import { expect, test } from "bun:test";
import { blockOf } from "./useFreshness";

const answer = (blockTimestamp: number, stale: boolean) =>
  ({ blockNumber: String(blockTimestamp), blockTimestamp, source: "snapshot", stale }) as const;

test("a page with old figures has the time of the oldest of them, not that of an answer that was read live", () => {
  expect(blockOf([answer(90, false), answer(20, true), answer(10, true), answer(5, false)])).toEqual(answer(10, true));
  expect(blockOf([answer(5, false), answer(90, false)])).toEqual(answer(90, false));
  expect(blockOf([])).toBeNull();
});

test("of several blocks with one timestamp the highest is the newest, whichever answer came first", () => {
  const block = (blockNumber: string, stale = false) => ({ ...answer(90, stale), blockNumber });
  expect(blockOf([block("1003"), block("999"), block("1001")])?.blockNumber).toBe("1003");
  expect(blockOf([block("1003", true), block("999", true), block("1005")])?.blockNumber).toBe("999");
});

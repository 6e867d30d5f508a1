import { expect, test } from "bun:test";
import { expectOpenDays } from "./expectOpenDays";

test("the open days are those from the next unchecked one to today, none where that is in the future", () => {
  expect(expectOpenDays(20_500, 20_502)).toEqual([20_500, 20_501, 20_502]);
  expect(expectOpenDays(20_503, 20_502)).toEqual([]);
  expect(expectOpenDays(2 ** 40 - 1, 20_502)).toEqual([]);
});

test("a chain without a remit since 1970 is read; more than a century is UPSTREAM_ERROR, not a list of its length", () => {
  expect(expectOpenDays(0, 20_502)).toHaveLength(20_503);
  expect(() => expectOpenDays(0, 2_932_896)).toThrow("2932897 open days");
});

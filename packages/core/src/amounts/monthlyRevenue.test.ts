import { expect, test } from "bun:test";
import { roundTwelfths } from "./monthlyRevenue";

test("half a unit is rounded to the even one, less of it down and more of it up, also below 0", () => {
  expect([0n, 5n, 6n, 7n, 12n, 18n, 30n, 31n, 42n].map(roundTwelfths)).toEqual([0n, 0n, 0n, 1n, 1n, 2n, 2n, 3n, 4n]);
  expect([-5n, -6n, -7n, -12n, -18n, -30n].map(roundTwelfths)).toEqual([0n, 0n, -1n, -1n, -2n, -2n]);
});

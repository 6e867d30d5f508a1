import { expect, test } from "bun:test";
import fc from "fast-check";
import { createRangeSize } from "./createRangeSize";

test("against a node of any limit, few requests are refused and the ranges come near the limit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50_000 }), (limit) => {
      const size = createRangeSize();
      let refused = 0;
      for (let question = 0; question < 90; question++) {
        const blocks = size.current();
        if (blocks <= limit) size.accept(blocks, 0);
        else {
          refused++;
          size.refuse(blocks);
        }
      }
      expect(refused).toBeLessThan(25);
      expect(size.current()).toBeGreaterThanOrEqual(Math.max(1, Math.floor(limit * 0.9)));
      expect(size.current()).toBeLessThanOrEqual(limit + 1);
    }),
  );
});

test("a busy stretch of the chain narrows the ranges to a few thousand logs each", () => {
  const size = createRangeSize();
  for (let question = 0; question < 20; question++) size.accept(size.current(), size.current() * 1_000);
  expect(size.current() * 1_000).toBeLessThanOrEqual(8_000);
  expect(size.current()).toBeGreaterThanOrEqual(1);
});

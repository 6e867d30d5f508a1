import { expect, test } from "bun:test";
import { pageFacts } from "@dueday/core/paging";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { first, skip } from "./paging";

test("following nextSkip is never rejected, and ends with the list or with the last page that can be requested", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 6_000 }), fc.integer({ min: 1, max: 200 }), (count, size) => {
      let at: number | undefined = 0;
      let seen = 0;
      while (at !== undefined) {
        expect(Value.Check(skip, at) && Value.Check(first, size)).toBe(true);
        expect(at).toBe(seen);
        const shown = Math.min(size, count - at);
        seen += shown;
        const facts: { hasMore: boolean; nextSkip?: number } = pageFacts({ count, skip: at, shown });
        expect(facts.hasMore).toBe(facts.nextSkip !== undefined);
        at = facts.nextSkip;
      }
      expect(seen === count || seen > 5_000).toBe(true);
    }),
  );
});

test("where the length is not known, the caller decides whether there is a next page", () => {
  expect(pageFacts({ count: null, skip: 50, shown: 50, more: true })).toEqual({
    count: null,
    hasMore: true,
    nextSkip: 100,
  });
  expect(pageFacts({ count: null, skip: 50, shown: 50 })).toEqual({ count: null, hasMore: false });
  expect(pageFacts({ count: null, skip: 5_000, shown: 50, more: true })).toEqual({ count: null, hasMore: false });
});

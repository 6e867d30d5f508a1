import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRateLimit } from "./createRateLimit";

/** Sends calls to a node that accepts `limit` a second, as fast as the learned rate permits, for `seconds`. */
function run({ limit, seconds, countsRefused }: { limit: number; seconds: number; countsRefused: boolean }) {
  let now = 0;
  const rate = createRateLimit({ clock: () => now });
  const window: { at: number; calls: number }[] = [];
  const perSecond: { sent: number; refused: number }[] = [];
  for (; now < seconds * 1_000; now += 10) {
    const second = Math.floor(now / 1_000);
    perSecond[second] ??= { sent: 0, refused: 0 };
    const calls = Math.min(50, rate.available());
    if (calls < 1) continue;
    rate.take(calls);
    while (window[0] !== undefined && window[0].at <= now - 1_000) window.shift();
    const used = window.reduce((sum, each) => sum + each.calls, 0);
    const isRefused = used + calls > limit;
    if (!isRefused || countsRefused) window.push({ at: now, calls });
    if (isRefused) rate.refuse(now);
    else rate.accept(calls);
    const count = perSecond[second];
    if (count === undefined) continue;
    if (isRefused) count.refused += calls;
    else count.sent += calls;
  }
  const settled = perSecond.slice(20);
  const sum = (of: "sent" | "refused") => settled.reduce((total, each) => total + each[of], 0);
  return { accepted: sum("sent") / settled.length, refused: sum("refused") / settled.length };
}

describe("the learned rate", () => {
  test.each([false, true])(
    "comes near the limit of a node of any limit, with few refusals; refused calls count against it: %p",
    (countsRefused) => {
      fc.assert(
        fc.property(fc.integer({ min: 5, max: 500 }), (limit) => {
          const { accepted, refused } = run({ limit, seconds: 80, countsRefused });
          expect(accepted).toBeGreaterThan(limit * 0.5);
          expect(refused).toBeLessThan(accepted * 0.1 + 0.5);
        }),
        { numRuns: 30 },
      );
    },
  );

  test("is unlimited while nothing was refused", () => {
    const rate = createRateLimit({ clock: () => 0 });
    rate.take(100_000);
    rate.accept(100_000);
    expect(rate.available()).toBe(Number.POSITIVE_INFINITY);
    expect(rate.waitMs()).toBe(0);
  });

  test("falls once for the calls that were under way together", () => {
    let now = 1_000;
    const rate = createRateLimit({ clock: () => now });
    rate.take(100);
    now += 50;
    rate.refuse(1_000);
    const after = rate.callsPerSecond();
    rate.refuse(1_000);
    rate.refuse(1_040);
    expect(rate.callsPerSecond()).toBe(after);
  });

  test("a Retry-After is honoured, up to 5 s", () => {
    let now = 0;
    const rate = createRateLimit({ clock: () => now });
    rate.take(10);
    rate.refuse(0, 2_000);
    expect(rate.waitMs()).toBe(2_000);
    now = 2_000;
    expect(rate.available()).toBeGreaterThan(0);
    rate.refuse(now, 3_600_000);
    expect(rate.waitMs()).toBe(5_000);
  });

  test("refusals without an accepted call between them lengthen the pause", () => {
    let now = 0;
    const rate = createRateLimit({ clock: () => now });
    const pauses = [1, 2, 3].map(() => {
      rate.take(1);
      rate.refuse(now);
      const pause = rate.waitMs();
      now += 10_000;
      return pause;
    });
    expect(pauses[1]).toBeGreaterThanOrEqual(200);
    expect(pauses[2]).toBeGreaterThanOrEqual(400);
  });
});

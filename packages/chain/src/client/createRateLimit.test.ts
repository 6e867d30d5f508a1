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

const LIMITS = [5, 10, 25, 40, 75, 110, 150, 200];

type Shared = { limit: number; clients: number; longestStopMs: number };

/**
 * The rates of processes that share a node which accepts `limit` calls in any second, each with more calls to send than that. Now
 * and then a process stops for a while, as on a machine with too much to do. Answers take 50 ms.
 */
function runShared({ limit, clients, longestStopMs }: Shared): { mean: number; lowest: number }[] {
  let now = 0;
  const random = randomFrom(limit);
  const accepted: { at: number; calls: number }[] = [];
  const processes = Array.from({ length: clients }, () => ({
    rate: createRateLimit({ clock: () => now }),
    answers: [] as { at: number; sentAt: number; calls: number; isRefused: boolean }[],
    stoppedUntil: 0,
    rates: [] as number[],
  }));
  for (; now < 120_000; now += 10) {
    while (accepted[0] !== undefined && accepted[0].at <= now - 1_000) accepted.shift();
    for (const process of processes) {
      if (now < process.stoppedUntil) continue;
      if (random() < 0.01) process.stoppedUntil = now + random() * longestStopMs;
      for (const { sentAt, calls, isRefused } of process.answers.filter(({ at }) => at <= now)) {
        if (isRefused) process.rate.refuse(sentAt);
        else process.rate.accept(calls);
      }
      process.answers = process.answers.filter(({ at }) => at > now);
      const calls = Math.min(50, process.rate.available());
      if (now >= 20_000) process.rates.push(process.rate.callsPerSecond());
      if (calls < 1) continue;
      process.rate.take(calls);
      const isRefused = accepted.reduce((sum, each) => sum + each.calls, calls) > limit;
      if (!isRefused) accepted.push({ at: now, calls });
      process.answers.push({ at: now + 50, sentAt: now, calls, isRefused });
    }
  }
  return processes.map(({ rates }) => ({
    mean: rates.reduce((sum, each) => sum + each, 0) / rates.length,
    lowest: Math.min(...rates),
  }));
}

/** The same numbers in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
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

  test("comes near the limit in a process that is stopped for seconds again and again", () => {
    for (const limit of LIMITS) {
      const [alone] = runShared({ limit, clients: 1, longestStopMs: 3_000 });
      expect(alone?.mean).toBeGreaterThan(limit * 0.5);
      expect(alone?.lowest).toBeGreaterThan(limit * 0.15);
    }
  });

  test("is a share of the limit where two processes send calls to one node", () => {
    for (const limit of LIMITS) {
      const [first, second] = runShared({ limit, clients: 2, longestStopMs: 500 }).map(({ mean }) => mean / limit);
      expect(Math.min(first ?? 0, second ?? 0)).toBeGreaterThan(0.12);
      expect((first ?? 0) + (second ?? 0)).toBeGreaterThan(0.6);
    }
  });

  test("grows with the time that calls wait for it, however often they are looked at", () => {
    const rates = [1, 50].map((lookMs) => {
      let now = 0;
      const rate = createRateLimit({ clock: () => now });
      rate.take(10);
      rate.accept(10);
      rate.refuse(0);
      for (let look = 0; look < 10_000; look += lookMs) {
        now = look;
        const calls = rate.available();
        if (now % 50 === 0 && calls > 0) rate.take(calls);
      }
      return rate.callsPerSecond();
    });
    const [often = 0, seldom = 0] = rates;
    expect(seldom).toBeGreaterThan(15);
    expect(Math.abs(often / seldom - 1)).toBeLessThan(0.1);
  });

  test("is unlimited while nothing was refused", () => {
    const rate = createRateLimit({ clock: () => 0 });
    rate.take(100_000);
    rate.accept(100_000);
    expect(rate.available()).toBe(Number.POSITIVE_INFINITY);
    expect(rate.waitMs()).toBe(0);
  });

  test("a limited node that was left alone may be sent calls at once", () => {
    let now = 0;
    const rate = createRateLimit({ clock: () => now });
    rate.take(4);
    rate.refuse(now);
    expect(rate.waitMs()).toBeGreaterThan(0);
    now += 10_000;
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

import { afterAll, describe, expect, test } from "bun:test";
import { testRedis } from "@dueday/test-support/services";
import { testDepth } from "@dueday/test-support/testDepth";
import fc from "fast-check";
import { DAY_MS, type Decision, type Demand, type Limiter, MINUTE_MS, returning, SLACK_MS } from "./limiter";
import { memoryLimiter } from "./memoryLimiter";
import { type RedisConnection, redisConnection } from "./redisConnection";
import { redisLimiter } from "./redisLimiter";

const redisAddress = await testRedis();
const redis = redisAddress === null ? null : redisConnection(redisAddress);
await redis?.renew();
afterAll(() => redis?.close());

type Clock = { now: number };
type MakeLimiter = (clock: Clock) => Limiter;

const inMemory: MakeLimiter = (clock) => memoryLimiter({ clock: () => clock.now });
const makers: [string, MakeLimiter][] = [["in memory", inMemory]];
if (redis !== null) makers.push(["on Redis", (clock) => onRedis(redis, clock)]);

/** A machine may stop for longer than a service waits. */
const deadlineMs = 10_000;

function onRedis({ send }: RedisConnection, clock: Clock): Limiter {
  return redisLimiter({ send, prefix: `test:${crypto.randomUUID()}:`, clock: () => clock.now, deadlineMs });
}

function demand(given: Partial<Demand> = {}): Demand {
  return { name: "globalRpm", identity: "free:a", limit: 3, window: "minute", cost: 1, enforced: true, ...given };
}

/** The same rules, computed from the full history of every bucket. */
function referenceLimiter(clock: Clock) {
  const admissions = new Map<string, number[]>();
  const usedAt = ({ identity, name, window }: Demand, now: number): number => {
    const times = admissions.get(`${identity} ${name}`) ?? [];
    const counts = (time: number) =>
      window === "minute" ? time > now - MINUTE_MS : Math.floor(time / DAY_MS) === Math.floor(now / DAY_MS);
    return times.filter(counts).length;
  };
  const resetOf = (asked: Demand): number => {
    if (usedAt(asked, clock.now) === 0) return 0;
    if (asked.window === "day") return (Math.floor(clock.now / DAY_MS) + 1) * DAY_MS - clock.now;
    const times = admissions.get(`${asked.identity} ${asked.name}`) ?? [];
    return Math.min(...times.filter((time) => time > clock.now - MINUTE_MS)) + MINUTE_MS - clock.now;
  };
  const fitsAt = (asked: Demand, now: number) => usedAt(asked, now) + Math.max(1, asked.cost) <= asked.limit;
  return {
    take(demands: readonly Demand[]): boolean {
      const admitted = demands.every((asked) => !asked.enforced || fitsAt(asked, clock.now));
      for (const { identity, name, cost } of admitted ? demands : []) {
        const key = `${identity} ${name}`;
        admissions.set(key, [...(admissions.get(key) ?? []), ...Array<number>(cost).fill(clock.now)]);
      }
      return admitted;
    },
    remaining: (asked: Demand) => Math.max(0, asked.limit - usedAt(asked, clock.now)),
    resetOf,
    fitsAt,
  };
}

const MIDNIGHT = 20_000 * DAY_MS;

/** Buckets of two identities: three minutes and two days, small enough to be full most of the time. */
const buckets = ["free:a", "developer:b"].flatMap((identity): Omit<Demand, "cost">[] => [
  { name: "globalRpm", identity, limit: 4, window: "minute", enforced: true },
  { name: "writeRpm", identity, limit: 1, window: "minute", enforced: true },
  { name: "writeDaily", identity, limit: 5, window: "day", enforced: true },
  { name: "dailyTotalRequests", identity, limit: 9, window: "day", enforced: true },
]);

const request = fc.record({
  // Steps that meet the edges of a window exactly, and their neighbours.
  stepMs: fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.constantFrom(0, 1, MINUTE_MS - 1, MINUTE_MS, MINUTE_MS + 1)),
  demands: fc.shuffledSubarray(buckets, { minLength: 1 }).chain((chosen) =>
    fc.tuple(
      ...chosen.map((bucket) =>
        fc.record({ cost: fc.constantFrom(0, 1, 1, 1, 2, 3), enforced: fc.constantFrom(true, true, true, false) }).map(
          // Only day buckets are ever counted without refusing.
          ({ cost, enforced }): Demand => ({ ...bucket, cost, enforced: enforced || bucket.window === "minute" }),
        ),
      ),
    ),
  ),
});

/** What requests of different lanes and operations take. */
const sharedDemands: readonly Omit<Demand, "identity">[][] = [
  [
    { name: "globalRpm", limit: 4, window: "minute", cost: 1, enforced: true },
    { name: "dailyTotalRequests", limit: 9, window: "day", cost: 1, enforced: true },
  ],
  [
    { name: "globalRpm", limit: 4, window: "minute", cost: 2, enforced: true },
    { name: "writeRpm", limit: 2, window: "minute", cost: 1, enforced: true },
    { name: "dailyTotalRequests", limit: 9, window: "day", cost: 2, enforced: true },
  ],
  [{ name: "dailyTotalRequests", limit: 9, window: "day", cost: 1, enforced: false }],
];

const turn = fc.record({
  stepMs: fc.constantFrom(0, 1, 20_000, MINUTE_MS - 1, MINUTE_MS),
  requests: fc.array(
    fc
      .tuple(fc.constantFrom(...sharedDemands), fc.constantFrom("free:a", "free:b", "free:c"))
      .map(([demands, identity]) => demands.map((each): Demand => ({ ...each, identity }))),
    { minLength: 1, maxLength: 30 },
  ),
});

const history = fc.record({
  startMs: fc.integer({ min: MIDNIGHT - 5 * MINUTE_MS, max: MIDNIGHT }),
  requests: fc.array(request, { minLength: 1, maxLength: 60 }),
});

for (const [where, make] of makers) {
  describe(`the limiter ${where}`, () => {
    test("decides by the rules over any history across UTC midnight, and returns wait and reset to the millisecond", async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ startMs, requests }) => {
          const clock = { now: startMs };
          const limiter = make(clock);
          const reference = referenceLimiter(clock);
          for (const { stepMs, demands } of requests) {
            clock.now += stepMs;
            const { admitted, states } = await limiter.take(demands);
            expect(admitted).toBe(reference.take(demands));
            expect(states).toHaveLength(demands.length);
            for (const [index, asked] of demands.entries()) {
              const { remaining, fits, resetMs } = states[index] ?? { remaining: Number.NaN, fits: true, resetMs: 0 };
              expect(remaining).toBe(reference.remaining(asked));
              if (!admitted && asked.enforced) expect(fits).toBe(reference.fitsAt(asked, clock.now));
              if (fits) expect(resetMs).toBe(reference.resetOf(asked));
              if (fits || asked.cost > asked.limit) continue;
              expect(reference.fitsAt(asked, clock.now + resetMs)).toBe(true);
              expect(reference.fitsAt(asked, clock.now + resetMs - 1)).toBe(false);
            }
          }
        }),
        { numRuns: 100 * testDepth },
      );
    });

    test("a refused request touches no bucket: others have as much left as before", async () => {
      const limiter = make({ now: MIDNIGHT });
      const minute = demand({ limit: 1 });
      const day = demand({ name: "dailyTotalRequests", window: "day", limit: 100 });
      await limiter.take([minute, day]);
      for (let attempt = 0; attempt < 5; attempt += 1) expect((await limiter.take([day, minute])).admitted).toBe(false);
      expect((await limiter.take([{ ...day, cost: 0 }])).states[0]?.remaining).toBe(99);
    });

    test("a request sent after the returned wait is admitted, one millisecond earlier it is not", async () => {
      const clock = { now: MIDNIGHT - 1_000 };
      const limiter = make(clock);
      for (const stepMs of [0, 700, 5_000]) {
        clock.now += stepMs;
        expect((await limiter.take([demand()])).admitted).toBe(true);
      }
      const resetMs = (await limiter.take([demand()])).states[0]?.resetMs ?? Number.NaN;
      expect(resetMs).toBe(MINUTE_MS - 5_700);
      clock.now += resetMs - 1;
      expect((await limiter.take([demand()])).admitted).toBe(false);
      clock.now += 1;
      expect((await limiter.take([demand()])).admitted).toBe(true);
    });

    test("a day bucket opens at UTC midnight", async () => {
      const clock = { now: MIDNIGHT - 1 };
      const limiter = make(clock);
      const daily = demand({ name: "writeDaily", window: "day", limit: 1 });
      expect((await limiter.take([daily])).admitted).toBe(true);
      expect((await limiter.take([daily])).states[0]).toMatchObject({ remaining: 0, fits: false, resetMs: 1 });
      clock.now += 1;
      expect((await limiter.take([daily])).admitted).toBe(true);
    });

    test("a cost is taken as a whole: three calls do not fit where two are left, two do", async () => {
      const limiter = make({ now: MIDNIGHT });
      await limiter.take([demand()]);
      expect((await limiter.take([demand({ cost: 3 })])).admitted).toBe(false);
      expect((await limiter.take([demand({ cost: 2 })])).admitted).toBe(true);
    });

    test("a cost of 0 takes nothing, and checks whether one more would fit", async () => {
      const limiter = make({ now: MIDNIGHT });
      const look = { ...demand({ limit: 1 }), cost: 0 };
      for (let looked = 0; looked < 3; looked += 1) expect((await limiter.take([look])).admitted).toBe(true);
      await limiter.take([demand({ limit: 1 })]);
      expect(await limiter.take([look])).toMatchObject({
        admitted: false,
        states: [{ fits: false, resetMs: MINUTE_MS }],
      });
    });

    test("what is returned is as if it had not been taken, and an empty bucket stays empty", async () => {
      const limiter = make({ now: MIDNIGHT });
      const demands = [demand({ limit: 4 }), demand({ name: "writeDaily", window: "day", limit: 4, cost: 2 })];
      const left = async () => (await limiter.take(demands.map((each) => ({ ...each, cost: 0 })))).states;
      await limiter.take(demands);
      const before = await left();
      const { states } = await limiter.take(demands);
      const returned = await limiter.take(returning(states));
      expect(returned.states.map(({ remaining }) => remaining)).toEqual([3, 2]);
      expect(await left()).toEqual(before);
      for (let again = 0; again < 3; again += 1) await limiter.take(returning(states));
      expect((await left()).map(({ remaining }) => remaining)).toEqual([4, 4]);
    });

    test("a demand that is not enforced is admitted beyond the limit, and still counted", async () => {
      const limiter = make({ now: MIDNIGHT });
      const counted = demand({ name: "dailyTotalRequests", window: "day", limit: 1, enforced: false });
      for (let sent = 0; sent < 3; sent += 1) expect((await limiter.take([counted])).admitted).toBe(true);
      expect((await limiter.take([{ ...counted, limit: 3, enforced: true }])).admitted).toBe(false);
    });

    test("a clock that steps back gives nothing free", async () => {
      const clock = { now: MIDNIGHT };
      const limiter = make(clock);
      const demands = [demand({ limit: 2 }), demand({ name: "writeDaily", window: "day", limit: 2 })];
      await limiter.take(demands);
      await limiter.take(demands);
      clock.now -= 1;
      const refused = await limiter.take(demands);
      expect(refused.states.map(({ resetMs }) => resetMs)).toEqual([MINUTE_MS + 1, DAY_MS + 1]);
    });

    test("of many requests at once exactly as many are admitted as the tightest bucket holds", async () => {
      const limiter = make({ now: MIDNIGHT });
      const demands = [demand({ limit: 50 }), demand({ name: "dailyTotalRequests", window: "day", limit: 70 })];
      const decisions = await Promise.all(Array.from({ length: 500 }, () => limiter.take(demands)));
      expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(50);
    });

    test("a bucket of many admissions counts each of the last 60 s and no other", async () => {
      const burst = fc.record({
        stepMs: fc.constantFrom(1, 700, 10_000, MINUTE_MS - 1, MINUTE_MS),
        requests: fc.integer({ min: 1, max: 40 }),
        everyMs: fc.constantFrom(0, 1, 250),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(burst, { minLength: 3, maxLength: 12 }), async (bursts) => {
          const clock = { now: MIDNIGHT };
          const limiter = make(clock);
          const reference = referenceLimiter(clock);
          const busy = demand({ limit: 60 });
          for (const { stepMs, requests, everyMs } of bursts) {
            clock.now += stepMs;
            for (let sent = 0; sent < requests; sent += 1) {
              clock.now += everyMs;
              const { admitted, states } = await limiter.take([busy]);
              expect(admitted).toBe(reference.take([busy]));
              expect(states[0]?.remaining).toBe(reference.remaining(busy));
            }
          }
        }),
        { numRuns: 40 * testDepth },
      );
    });

    test("a request without demands is admitted", async () => {
      expect(await make({ now: MIDNIGHT }).take([])).toEqual({ admitted: true, states: [] });
    });

    test("each identity and each limit has its own buckets", async () => {
      const limiter = make({ now: MIDNIGHT });
      const full = demand({ limit: 1 });
      await limiter.take([full]);
      expect((await limiter.take([{ ...full, identity: "free:b" }])).admitted).toBe(true);
      expect((await limiter.take([{ ...full, name: "expensiveRpm" }])).admitted).toBe(true);
      expect((await limiter.take([full])).admitted).toBe(false);
    });
  });
}

describe.if(redis !== null)("on Redis", () => {
  test("memory and Redis give the same answers to the last figure, returns and a clock that steps back included", async () => {
    const wavering = fc.array(fc.tuple(request, fc.integer({ min: 0, max: SLACK_MS }), fc.boolean()), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(wavering, async (steps) => {
        if (redis === null) throw new Error("this test needs Redis");
        let time = MIDNIGHT;
        const clock = { now: time };
        const [memory, shared] = [inMemory(clock), onRedis(redis, clock)];
        for (const [{ demands: taken, stepMs }, behindMs, returns] of steps) {
          time += stepMs;
          clock.now = time - behindMs;
          const demands = returns ? taken.map((each) => ({ ...each, cost: -each.cost, enforced: false })) : taken;
          const expected: Decision = await memory.take(demands);
          expect(await shared.take(demands)).toEqual(expected);
        }
      }),
      { numRuns: 100 * testDepth },
    );
  });

  test("requests of one turn, of any clients and with any demands, are decided as in memory one after another", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 12 }), async (turns) => {
        if (redis === null) throw new Error("this test needs Redis");
        const clock = { now: MIDNIGHT };
        const [memory, shared] = [inMemory(clock), onRedis(redis, clock)];
        for (const { stepMs, requests } of turns) {
          clock.now += stepMs;
          const decisions = requests.map((demands) => shared.take(demands));
          const expected = requests.map((demands) => memory.take(demands));
          expect(await Promise.all(decisions)).toEqual(await Promise.all(expected));
        }
      }),
      { numRuns: 100 * testDepth },
    );
  });

  test("requests of one turn travel in one round trip, and each gets its own decision", async () => {
    if (redis === null) throw new Error("this test needs Redis");
    const limiter = onRedis(redis, { now: MIDNIGHT });
    await limiter.take([demand({ identity: "free:warm" })]);
    const before = await commandsRun(redis);
    const decisions = await Promise.all(Array.from({ length: 5 }, () => limiter.take([demand()])));
    // The second INFO counts the first one and the script.
    expect((await commandsRun(redis)) - before).toBe(1);
    expect(decisions.map(({ admitted }) => admitted)).toEqual([true, true, true, false, false]);
  });

  test("a Redis that lost the script gets it again", async () => {
    if (redis === null) throw new Error("this test needs Redis");
    const limiter = onRedis(redis, { now: MIDNIGHT });
    await limiter.take([demand()]);
    await redis.send("SCRIPT", ["FLUSH"]);
    expect((await limiter.take([demand()])).states[0]?.remaining).toBe(1);
  });

  test("a bucket that is never empty holds no time that had expired at the last admission", async () => {
    if (redis === null) throw new Error("this test needs Redis");
    const prefix = `test:${crypto.randomUUID()}:`;
    const clock = { now: MIDNIGHT };
    const limiter = redisLimiter({ send: redis.send, prefix, clock: () => clock.now, deadlineMs });
    for (let sent = 0; sent < 20; sent += 1) {
      clock.now += MINUTE_MS - 1;
      await limiter.take([demand()]);
      expect(await oldestAge(redis, `${prefix}free:a:globalRpm`, clock.now)).toBeLessThan(MINUTE_MS);
    }
  });

  test("a minute bucket lives for a minute after its last admission, however long ago its first one was", async () => {
    if (redis === null) throw new Error("this test needs Redis");
    const prefix = `test:${crypto.randomUUID()}:`;
    const clock = { now: MIDNIGHT };
    const limiter = redisLimiter({ send: redis.send, prefix, clock: () => clock.now, deadlineMs });
    const key = `${prefix}free:a:globalRpm`;
    await limiter.take([demand()]);
    // What would be left of its life after most of it went by.
    await redis.send("PEXPIRE", [key, "10000"]);
    clock.now += 15_000;
    await limiter.take([demand()]);
    expect(Number(await redis.send("PTTL", [key]))).toBeGreaterThan(MINUTE_MS + SLACK_MS);
  });

  test("a day bucket lives until its day is over", async () => {
    if (redis === null) throw new Error("this test needs Redis");
    const prefix = `test:${crypto.randomUUID()}:`;
    const clock = { now: MIDNIGHT };
    const limiter = redisLimiter({ send: redis.send, prefix, clock: () => clock.now, deadlineMs });
    for (let sent = 0; sent < 10; sent += 1) {
      clock.now += 40_000;
      await limiter.take([demand({ name: "dailyTotalRequests", window: "day", limit: 100 })]);
      const livesMs = Number(await redis.send("PTTL", [`${prefix}free:a:dailyTotalRequests`]));
      expect(livesMs).toBeGreaterThan(MIDNIGHT + DAY_MS - clock.now);
      expect(livesMs).toBeLessThanOrEqual(MIDNIGHT + DAY_MS + SLACK_MS - clock.now);
    }
  });

  test.each([
    ["empty", ["SET", ""]],
    ["13 bytes", ["SET", "\u0001\u0000ÿ garbage!"]],
    ["of a length that no list of times has", ["SET", "12345"]],
    ["NaN, which strtod reads", ["SET", "nan          "]],
    ["infinity, which strtod reads", ["SET", "inf          inf          "]],
    ["digits that are not times", ["SET", "9".repeat(26)]],
    ["a day far ahead", ["SET", "99999999999999999999:1"]],
    ["a count beyond all bounds", ["SET", `20000:${"9".repeat(400)}`]],
    ["a negative count", ["SET", "20000:-5"]],
    ["long", ["SET", "x".repeat(1_000_000)]],
    ["of another type (a list)", ["RPUSH", "1"]],
    ["of another type (a hash)", ["HSET", "field", "1"]],
    ["of another type (a sorted set)", ["ZADD", "1", "1"]],
  ] as const)("a value that is %s counts as an empty bucket, and is replaced", async (_what, [command, ...values]) => {
    if (redis === null) throw new Error("this test needs Redis");
    const prefix = `test:${crypto.randomUUID()}:`;
    const limiter = redisLimiter({ send: redis.send, prefix, clock: () => MIDNIGHT, deadlineMs });
    const demands = [demand(), demand({ name: "dailyTotalRequests", window: "day" })];
    for (const { identity, name } of demands) await redis.send(command, [`${prefix}${identity}:${name}`, ...values]);
    for (const remaining of [2, 1, 0])
      expect(await limiter.take(demands)).toMatchObject({ admitted: true, states: [{ remaining }, { remaining }] });
    expect(await limiter.take(demands)).toMatchObject({ admitted: false });
  });

  test("without an injected clock it uses Redis's time, and its keys expire", async () => {
    if (redis === null) throw new Error("this test needs Redis");
    const prefix = `test:${crypto.randomUUID()}:`;
    const limiter = redisLimiter({ send: redis.send, prefix, deadlineMs });
    await limiter.take([demand()]);
    const key = `${prefix}free:a:globalRpm`;
    const seconds = Number(await redis.send("EVAL", ["return redis.call('TIME')[1]", "0"]));
    // `seconds` is rounded down.
    expect(await oldestAge(redis, key, (seconds + 1) * 1000)).toBeLessThanOrEqual(5_000);
    const livesMs = Number(await redis.send("PTTL", [key]));
    expect(livesMs).toBeGreaterThan(0);
    expect(livesMs).toBeLessThanOrEqual(MINUTE_MS + 2 * SLACK_MS);
  });
});

/** How long ago the first of the times was that a minute bucket is made of. */
async function oldestAge({ send }: RedisConnection, key: string, now: number): Promise<number> {
  return now - Number(String(await send("GET", [key])).slice(0, 13));
}

async function commandsRun({ send }: RedisConnection): Promise<number> {
  const calls = /cmdstat_evalsha:calls=(\d+)/.exec(String(await send("INFO", ["commandstats"])))?.[1];
  return Number(calls);
}

describe("in memory", () => {
  test("identities that were not used for more than a day are dropped", async () => {
    const clock = { now: MIDNIGHT };
    const limiter = memoryLimiter({ clock: () => clock.now });
    const use = (identity: string) =>
      limiter.take([demand({ identity }), demand({ identity, name: "writeDaily", window: "day" })]);
    for (let index = 0; index < 1_000; index += 1) await use(`free:${index}`);
    expect(limiter.size).toBe(1_000);
    clock.now += DAY_MS - MINUTE_MS;
    await use("free:later");
    expect(limiter.size).toBe(1_001);
    clock.now += 15 * MINUTE_MS;
    await use("free:later");
    expect(limiter.size).toBe(1);
  });

  test("a flood of identities can't fill the memory, and frees no client that goes on sending", async () => {
    const limiter = memoryLimiter({ clock: () => MIDNIGHT, maxIdentities: 100 });
    const use = (identity: string) => limiter.take([demand({ identity, limit: 1 })]);
    await use("free:regular");
    for (let index = 0; index < 1_000; index += 1) {
      await use(`free:${index}`);
      expect(await use("free:regular")).toMatchObject({ admitted: false });
      expect(limiter.size).toBeLessThanOrEqual(100);
    }
  });
});

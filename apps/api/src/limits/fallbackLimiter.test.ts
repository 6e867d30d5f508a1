import { afterEach, describe, expect, test } from "bun:test";
import { within } from "@dueday/config/within";
import { ensureRedisServer } from "@dueday/test-support/services";
import { type RedisServer, startRedis } from "@dueday/test-support/startRedis";
import { type FallbackLimiter, fallbackLimiter } from "./fallbackLimiter";
import type { Demand, SharedLimiter, Taking } from "./limiter";
import { memoryLimiter } from "./memoryLimiter";
import { redisConnection } from "./redisConnection";
import { redisLimiter } from "./redisLimiter";

const demand: Demand = {
  name: "globalRpm",
  identity: "free:a",
  limit: 3,
  window: "minute",
  cost: 1,
  enforced: true,
};

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Changes = { degraded: boolean; told: PromiseWithResolvers<void> }[];

function build(shared: SharedLimiter, probe: () => Promise<unknown>): { limiter: FallbackLimiter; changes: Changes } {
  const changes: Changes = [true, false].map((degraded) => ({ degraded, told: Promise.withResolvers<void>() }));
  const limiter = fallbackLimiter({
    shared,
    local: memoryLimiter({ clock: Date.now }),
    probe,
    probeIntervalMs: 10,
    onChange: (degraded) => changes.find((change) => change.degraded === degraded)?.told.resolve(),
  });
  closing.push(() => limiter.close());
  return { limiter, changes };
}

function sharedBy(take: () => Promise<Taking>): SharedLimiter {
  const takerOf: SharedLimiter["takerOf"] = (_charges, _identities, instead) => ({
    take: (goOn) => take().then(goOn, instead === undefined ? undefined : (reason) => instead(reason, goOn)),
  });
  return { take, takerOf };
}

/** Shared buckets in a store that a test takes away, and gives back. */
function buildOnSwitch() {
  const store = { away: false };
  const buckets = memoryLimiter({ clock: Date.now });
  const answer = async () => {
    if (store.away) throw new Error("away");
  };
  const shared = sharedBy(() => answer().then(() => buckets.take([demand])));
  return { ...build(shared, answer), store };
}

test("when the shared buckets fail, the request is decided by local ones of the same size at once", async () => {
  const { limiter } = build(
    sharedBy(() => Promise.reject(new Error("away"))),
    () => Promise.reject(new Error("away")),
  );
  const decisions = [];
  for (let sent = 0; sent < 5; sent += 1) decisions.push((await limiter.take([demand])).admitted);
  expect(decisions).toEqual([true, true, true, false, false]);
  expect(limiter.degraded).toBe(true);
});

test("only requests that were under way wait for a store that stands still; later ones never ask it", async () => {
  let asked = 0;
  const standing = sharedBy(() => {
    asked += 1;
    return within("the store", 20, new Promise(() => {}));
  });
  const { limiter } = build(standing, () => new Promise(() => {}));
  await Promise.all([limiter.take([demand]), limiter.take([demand])]);
  await limiter.take([demand]);
  expect(asked).toBe(2);
});

test("what was made ready for the same buckets takes from local ones while the shared ones fail", async () => {
  const { limiter, changes, store } = buildOnSwitch();
  const taker = limiter.takerOf([demand], [demand.identity]);
  const left = async () => (await taker.take((taking) => taking)).states[0]?.remaining;
  expect([await left(), await left()]).toEqual([2, 1]);
  store.away = true;
  expect([await left(), await left()]).toEqual([2, 1]);
  store.away = false;
  await changes[1]?.told.promise;
  expect(await left()).toBe(0);
});

test("a change is told once each way, and the shared buckets are used again after a probe succeeds", async () => {
  const { limiter, changes, store } = buildOnSwitch();
  store.away = true;
  await limiter.take([demand]);
  await changes[0]?.told.promise;
  store.away = false;
  await changes[1]?.told.promise;
  expect(limiter.degraded).toBe(false);
  expect((await limiter.take([demand])).states[0]?.remaining).toBe(2);
});

test("who is told that the store is away does not ask it, and after its end it asks nobody", async () => {
  const { limiter, changes, store } = buildOnSwitch();
  limiter.degrade(new Error("told"));
  expect(limiter.degraded).toBe(true);
  await changes[1]?.told.promise;
  store.away = true;
  limiter.close();
  limiter.degrade(new Error("told"));
  expect(limiter.degraded).toBe(false);
});

test("what goes wrong after a decision is no fault of the store", async () => {
  const reply = [2, 60_000];
  const shared = redisLimiter({ send: async () => reply, prefix: "test:", deadlineMs: 1_000 });
  const { limiter } = build(shared, () => Promise.reject(new Error("away")));
  let decided = 0;
  const fault = new Error("afterwards");
  const taken = limiter.takerOf([demand], [demand.identity]).take(() => {
    decided += 1;
    throw fault;
  });
  expect(await Promise.resolve(taken).catch((error: unknown) => error)).toBe(fault);
  expect([decided, limiter.degraded]).toEqual([1, false]);
});

describe.if(ensureRedisServer())("with a Redis that", () => {
  async function onRedis(work: (server: RedisServer, limiter: FallbackLimiter, changes: Changes) => Promise<void>) {
    const server = await startRedis();
    const redis = redisConnection(server.path);
    await redis.renew();
    // Longer than a service waits: the machine may stop for as long as that.
    const shared = redisLimiter({ send: redis.send, prefix: "test:", deadlineMs: 1_000 });
    const { limiter, changes } = build(shared, redis.renew);
    try {
      await work(server, limiter, changes);
    } finally {
      limiter.close();
      redis.close();
      await server.stop();
    }
  }

  test("stops and comes back empty, limits hold all the while and Redis is used again", () =>
    onRedis(async (server, limiter, changes) => {
      for (let sent = 0; sent < 4; sent += 1)
        expect(await limiter.take([demand])).toMatchObject({ admitted: sent < 3 });
      await server.kill();
      for (let sent = 0; sent < 4; sent += 1)
        expect(await limiter.take([demand])).toMatchObject({ admitted: sent < 3 });
      expect(limiter.degraded).toBe(true);
      await server.start();
      await changes[1]?.told.promise;
      for (let sent = 0; sent < 4; sent += 1)
        expect(await limiter.take([demand])).toMatchObject({ admitted: sent < 3 });
    }));

  test("freezes holds nobody up for ever, and counts again where it was when it thaws", () =>
    onRedis(async (server, limiter, changes) => {
      for (let sent = 0; sent < 3; sent += 1) await limiter.take([demand]);
      server.freeze();
      for (let sent = 0; sent < 4; sent += 1)
        expect(await limiter.take([demand])).toMatchObject({ admitted: sent < 3 });
      server.thaw();
      await changes[1]?.told.promise;
      expect(await limiter.take([demand])).toMatchObject({ admitted: false });
    }));
});

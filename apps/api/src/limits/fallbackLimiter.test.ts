import { afterEach, describe, expect, test } from "bun:test";
import { within } from "@dueday/core/within";
import { ensureRedisServer } from "@dueday/test-support/services";
import { type RedisServer, startRedis } from "@dueday/test-support/startRedis";
import { type FallbackLimiter, fallbackLimiter } from "./fallbackLimiter";
import type { Decision, Demand, Limiter } from "./limiter";
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

type Changes = { degraded: boolean; called: PromiseWithResolvers<void> }[];

function build(shared: Limiter, probe: () => Promise<unknown>): { limiter: FallbackLimiter; changes: Changes } {
  const changes: Changes = [true, false].map((degraded) => ({ degraded, called: Promise.withResolvers<void>() }));
  const limiter = fallbackLimiter({
    shared,
    local: memoryLimiter({ clock: Date.now }),
    probe,
    probeIntervalMs: 10,
    onChange: (degraded) => changes.find((change) => change.degraded === degraded)?.called.resolve(),
  });
  closing.push(() => limiter.close());
  return { limiter, changes };
}

/** Shared buckets in a store that a test takes away, and gives back. */
function buildOnSwitch() {
  const store = { away: false };
  const buckets = memoryLimiter({ clock: Date.now });
  const answer = async () => {
    if (store.away) throw new Error("away");
  };
  const shared: Limiter = { take: (demands) => answer().then(() => buckets.take(demands)) };
  return { ...build(shared, answer), store };
}

test("when the shared buckets fail, the request is decided by local ones of the same size at once", async () => {
  const away = () => Promise.reject(new Error("away"));
  const { limiter } = build({ take: away }, away);
  const decisions = [];
  for (let sent = 0; sent < 5; sent += 1) decisions.push((await limiter.take([demand])).admitted);
  expect(decisions).toEqual([true, true, true, false, false]);
  expect(limiter.degraded).toBe(true);
});

test("only requests that were under way wait for a store that freezes; later ones do not use it", async () => {
  let asked = 0;
  const frozen: Limiter = {
    take() {
      asked += 1;
      return within("the store", 20, new Promise<Decision>(() => {}));
    },
  };
  const { limiter } = build(frozen, () => new Promise(() => {}));
  await Promise.all([limiter.take([demand]), limiter.take([demand])]);
  await limiter.take([demand]);
  expect(asked).toBe(2);
});

test("requests take from local buckets while the shared ones fail, and from the shared ones as they were after that", async () => {
  const { limiter, changes, store } = buildOnSwitch();
  const left = async () => (await limiter.take([demand])).states[0]?.remaining;
  expect([await left(), await left()]).toEqual([2, 1]);
  store.away = true;
  expect([await left(), await left()]).toEqual([2, 1]);
  store.away = false;
  await changes[1]?.called.promise;
  expect(await left()).toBe(0);
});

test("onChange is called once each way, and the shared buckets are used again after a probe succeeds", async () => {
  const { limiter, changes, store } = buildOnSwitch();
  store.away = true;
  await limiter.take([demand]);
  await changes[0]?.called.promise;
  store.away = false;
  await changes[1]?.called.promise;
  expect(limiter.degraded).toBe(false);
  expect((await limiter.take([demand])).states[0]?.remaining).toBe(2);
});

test("after degrade the store is not used until a probe succeeds, and after close it is not probed", async () => {
  const { limiter, changes, store } = buildOnSwitch();
  limiter.degrade(new Error("away"));
  expect(limiter.degraded).toBe(true);
  await changes[1]?.called.promise;
  store.away = true;
  limiter.close();
  limiter.degrade(new Error("away"));
  expect(limiter.degraded).toBe(false);
});

describe.if(ensureRedisServer())("with a Redis that", () => {
  async function onRedis(work: (server: RedisServer, limiter: FallbackLimiter, changes: Changes) => Promise<void>) {
    const server = await startRedis();
    const redis = redisConnection(server.path);
    await redis.renew();
    // Longer than a service waits: the machine may stop for as long as that.
    const shared = redisLimiter({ send: redis.send, prefix: "test:", deadlineMs: 5_000 });
    const { limiter, changes } = build(shared, redis.renew);
    try {
      await work(server, limiter, changes);
    } finally {
      limiter.close();
      redis.close();
      await server.stop();
    }
  }

  test("stops and restarts empty, limits hold meanwhile and Redis is used again", () =>
    onRedis(async (server, limiter, changes) => {
      for (let sent = 0; sent < 4; sent += 1)
        expect(await limiter.take([demand])).toMatchObject({ admitted: sent < 3 });
      await server.kill();
      for (let sent = 0; sent < 4; sent += 1)
        expect(await limiter.take([demand])).toMatchObject({ admitted: sent < 3 });
      expect(limiter.degraded).toBe(true);
      await server.start();
      await changes[1]?.called.promise;
      for (let sent = 0; sent < 4; sent += 1)
        expect(await limiter.take([demand])).toMatchObject({ admitted: sent < 3 });
    }));

  test("freezes blocks no request indefinitely, and keeps its counts when it thaws", () =>
    onRedis(async (server, limiter, changes) => {
      for (let sent = 0; sent < 3; sent += 1) await limiter.take([demand]);
      server.freeze();
      for (let sent = 0; sent < 4; sent += 1)
        expect(await limiter.take([demand])).toMatchObject({ admitted: sent < 3 });
      server.thaw();
      await changes[1]?.called.promise;
      expect(await limiter.take([demand])).toMatchObject({ admitted: false });
    }));
});

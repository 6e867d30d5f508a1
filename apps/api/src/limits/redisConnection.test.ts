import { describe, expect, test } from "bun:test";
import { ensureRedisServer } from "@dueday/test-support/services";
import { type RedisServer, startRedis } from "@dueday/test-support/startRedis";
import { type RedisConnection, redisConnection } from "./redisConnection";

test("the error for a Redis that can't be reached contains neither its address nor its password", async () => {
  const redis = redisConnection("redis://somebody:password-of-redis@127.0.0.1:1");
  const error: unknown = await redis.renew().then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  expect(Bun.inspect(error)).not.toMatch(/password-of-redis|127\.0\.0\.1/);
});

test("without a connection a command is rejected, and does not wait for one", async () => {
  const redis = redisConnection("redis://127.0.0.1:1");
  await expect(redis.send("PING", [])).rejects.toThrow();
});

test("after close no connection is opened", async () => {
  const redis = redisConnection("redis://127.0.0.1:1");
  redis.close();
  await expect(redis.renew()).rejects.toThrow("was closed");
});

describe.if(ensureRedisServer())("to a Redis that", () => {
  async function connected(work: (redis: RedisConnection, server: RedisServer) => Promise<void>, scheme = "") {
    const server = await startRedis();
    const redis = redisConnection(scheme + server.path);
    try {
      await redis.renew();
      await work(redis, server);
    } finally {
      redis.close();
      await server.stop();
    }
  }

  test.each([
    ["path", ""],
    ["URL", "unix://"],
  ])("listens on a socket, its %s leads there", (_what, scheme) =>
    connected(async (redis) => expect(await redis.send("PING", [])).toBe("PONG"), scheme),
  );

  test("ends, what is under way is rejected, and a new connection works once it is back", () =>
    connected(async (redis, server) => {
      server.freeze();
      const underWay = redis.send("PING", []).catch(() => "rejected");
      await server.kill();
      expect(await underWay).toBe("rejected");
      await expect(redis.renew()).rejects.toThrow();
      await server.start();
      await redis.renew();
      expect(await redis.send("PING", [])).toBe("PONG");
    }));

  test("ends, onLost is called before the next command, and not after close", async () => {
    const server = await startRedis();
    const lost = Promise.withResolvers<unknown>();
    let calls = 0;
    const redis = redisConnection(server.path, (reason) => {
      calls += 1;
      lost.resolve(reason);
    });
    await redis.renew();
    await redis.renew();
    expect(calls).toBe(0);
    await server.kill();
    expect(await lost.promise).toBeInstanceOf(Error);
    await server.start();
    await redis.renew();
    redis.close();
    await server.stop();
    expect(calls).toBe(1);
  });

  test("freezes, neither the old connection nor the new attempt waits indefinitely", () =>
    connected(async (redis, server) => {
      server.freeze();
      const underWay = redis.send("PING", []).catch(() => "rejected");
      expect(await redis.renew().catch(() => "rejected")).toBe("rejected");
      expect(await underWay).toBe("rejected");
      server.thaw();
      await redis.renew();
      expect(await redis.send("PING", [])).toBe("PONG");
    }));
});

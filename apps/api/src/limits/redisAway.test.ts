import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BEHIND_PROXY, callApi, someAddress } from "@dueday/api/test/callApi";
import { type ApiProcess, startApiProcess } from "@dueday/api/test/startApiProcess";
import { waitFor } from "@dueday/db/waitFor";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { ensureRedisServer } from "@dueday/test-support/services";
import { type RedisServer, startRedis } from "@dueday/test-support/startRedis";

const LIMIT = 20;
const PATIENCE_MS = 90_000;

const database = await createTestDatabase();

describe.if(ensureRedisServer())("under load, while Redis goes away", () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  let redis: RedisServer;
  let first: ApiProcess;
  let second: ApiProcess;
  let load: ReturnType<typeof startLoad>;

  beforeAll(async () => {
    redis = await startRedis();
    cleanUps.push(redis.stop);
    const env = { ...BEHIND_PROXY, REDIS_URL: `unix://${redis.path}`, LIMIT_FREE_GLOBAL_RPM: String(LIMIT) };
    first = await startApiProcess(database, env);
    cleanUps.push(first.stop);
    second = await startApiProcess(database, env);
    cleanUps.push(second.stop);
    load = startLoad([first, second]);
    cleanUps.push(load.stop);
  });

  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  const limiterStatus = async (api: ApiProcess) => {
    const { checks } = (await callApi(api, "/status")).body;
    return typeof checks === "object" && checks !== null && "limiter" in checks ? checks.limiter : null;
  };
  const bothReport = (status: string) =>
    waitFor(async () => {
      const checks = await Promise.all([first, second].map(limiterStatus));
      return checks.every((check) => Bun.deepMatch({ status }, check));
    }, PATIENCE_MS);

  /** How many of more than enough requests of a new client each process admits. */
  async function admittedByEach(): Promise<number[]> {
    const from = someAddress();
    const admitted = [];
    for (const api of [first, second]) {
      const answers = Array.from({ length: LIMIT + 5 }, () => callApi(api, "/nothing", { from }));
      admitted.push((await Promise.all(answers)).filter(({ status }) => status !== 429).length);
    }
    return admitted;
  }

  /** Retried: if the machine pauses for longer than a service waits for Redis, requests of that time are counted by each process. */
  const countTogether = () => waitFor(async () => Bun.deepEquals(await admittedByEach(), [LIMIT, 0]), PATIENCE_MS);

  test("stopped and started again empty: each process enforces the limits by itself, then all share them again", async () => {
    expect(await bothReport("ok")).toBe(true);
    expect(await countTogether()).toBe(true);
    await redis.kill();
    expect(await bothReport("degraded")).toBe(true);
    expect(await admittedByEach()).toEqual([LIMIT, LIMIT]);
    await redis.start();
    expect(await bothReport("ok")).toBe(true);
    expect(await countTogether()).toBe(true);
  });

  test("frozen and thawed: the same", async () => {
    expect(await bothReport("ok")).toBe(true);
    redis.freeze();
    expect(await bothReport("degraded")).toBe(true);
    expect(await admittedByEach()).toEqual([LIMIT, LIMIT]);
    const deadlineIsLogged = async () =>
      (await first.readLog()).includes("the limiter on Redis took longer than 100 ms");
    expect(await waitFor(deadlineIsLogged, PATIENCE_MS)).toBe(true);
    redis.thaw();
    expect(await bothReport("ok")).toBe(true);
    expect(await countTogether()).toBe(true);
  });

  test("meanwhile every request of other clients is answered, and none with a 5xx", async () => {
    const { statuses, slowestMs } = await load.stop();
    console.info(`${statuses.length} requests while Redis went away and came back; the slowest took ${slowestMs} ms`);
    expect(statuses.length).toBeGreaterThan(100);
    expect(new Set(statuses)).toEqual(new Set([404]));
  });
});

/** Clients of many addresses that send requests to the processes without a pause. */
function startLoad(processes: readonly ApiProcess[]) {
  const statuses: number[] = [];
  let slowestMs = 0;
  let stopped = false;
  const clients = processes.map(async (api) => {
    while (!stopped) {
      const sentAt = performance.now();
      const { status } = await callApi(api, "/nothing", { from: someAddress() });
      statuses.push(status);
      slowestMs = Math.max(slowestMs, Math.round(performance.now() - sentAt));
    }
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(clients);
      return { statuses, slowestMs };
    },
  };
}

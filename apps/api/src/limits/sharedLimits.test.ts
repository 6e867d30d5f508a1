import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BEHIND_PROXY, callApi, readRateLimit } from "@dueday/api/test/callApi";
import { redisKeys } from "@dueday/api/test/redisKeys";
import { type ApiProcess, CLOCK_RATE, PATIENT_MAIN, startApiProcess } from "@dueday/api/test/startApiProcess";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { ensureRedisServer } from "@dueday/test-support/services";
import { type RedisServer, startRedis } from "@dueday/test-support/startRedis";
import { DAY_MS, MINUTE_MS } from "./limiter";

/** One request as its client saw it: it was decided between the two times. */
type Decision = { from: string; sentAt: number; answeredAt: number; status: number; retryAfterMs: number };

const LIMIT = 20;
const CLIENTS = 8;
const REQUESTS = 4_000;
/** A minute of the limits, in this machine's time. */
const WINDOW_MS = MINUTE_MS / CLOCK_RATE;
/** Long enough that every window slides past the first admissions. */
const DURATION_MS = 1.1 * WINDOW_MS;

const shared = ["203.0.113.1", "203.0.113.2", "2001:db8:1::1"];
const ownOf = (client: number) => `203.0.113.${100 + client}`;

const database = await createTestDatabase();

describe.if(ensureRedisServer())("three API processes on one Redis", () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  const processes: ApiProcess[] = [];
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedis();
    cleanUps.push(server.stop);
    const limits = { LIMIT_FREE_GLOBAL_RPM: String(LIMIT) };
    const env = { ...BEHIND_PROXY, ...limits, REDIS_URL: `unix://${server.path}`, LOG_LEVEL: "warn" };
    for (let index = 0; index < 3; index += 1) {
      const started = await startApiProcess(database, env, PATIENT_MAIN);
      processes.push(started);
      cleanUps.push(started.stop);
    }
  });

  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });

  const decisions: Decision[] = [];
  let sent = 0;

  async function send(from: string): Promise<Decision> {
    const api = processes[sent % processes.length];
    if (api === undefined) throw new Error("no process");
    sent += 1;
    const sentAt = performance.now();
    const { status, headers } = await callApi(api, "/nothing", { from });
    const retryAfterMs = (Number(headers.get("retry-after")) * 1000) / CLOCK_RATE;
    const decision = { from, sentAt, answeredAt: performance.now(), status, retryAfterMs };
    decisions.push(decision);
    return decision;
  }

  /** Spends requests evenly over the duration on the shared addresses, and on its own one whenever it may. */
  async function runClient(client: number, startedAt: number): Promise<Decision[]> {
    const retries: Decision[] = [];
    let mayRetryAt = 0;
    let refused = false;
    for (let index = 0; index < REQUESTS / CLIENTS; index += 1) {
      const due = startedAt + (index * CLIENTS * DURATION_MS) / REQUESTS;
      if (performance.now() < due) await Bun.sleep(due - performance.now());
      if (performance.now() < mayRetryAt) {
        await send(shared[index % shared.length] ?? "");
        continue;
      }
      const decision = await send(ownOf(client));
      if (refused) retries.push(decision);
      refused = decision.status === 429;
      if (refused) mayRetryAt = decision.answeredAt + decision.retryAfterMs;
    }
    return retries;
  }

  test(
    "never admit more than the limit in 60 s, never refuse a request that would fit, and admit one sent at Retry-After",
    async () => {
      const dayNow = () => Math.floor((Date.now() * CLOCK_RATE) / DAY_MS);
      const startedDay = dayNow();
      const startedAt = performance.now();
      const clients = Array.from({ length: CLIENTS }, (_, client) => runClient(client, startedAt));
      const retries = (await Promise.all(clients)).flat();

      expect(decisions).toHaveLength(REQUESTS);
      expect(new Set(decisions.map(({ status }) => status))).toEqual(new Set([404, 429]));
      // Every client met its own limit and came back at its Retry-After.
      expect(retries.length).toBeGreaterThanOrEqual(CLIENTS);
      expect(retries.map(({ status }) => status)).toEqual(retries.map(() => 404));

      for (const [from, all] of Map.groupBy(decisions, (decision) => decision.from)) {
        const admitted = all.filter(({ status }) => status !== 429).toSorted((a, b) => a.sentAt - b.sentAt);
        for (const [index, first] of admitted.entries()) {
          const windowful = admitted.slice(index, index + LIMIT + 1);
          const spanMs = Math.max(...windowful.map(({ answeredAt }) => answeredAt)) - first.sentAt;
          if (windowful.length > LIMIT) expect(spanMs).toBeGreaterThanOrEqual(WINDOW_MS);
        }
        for (const refusal of all.filter(({ status }) => status === 429)) {
          const couldCount = admitted.filter(
            ({ sentAt, answeredAt }) => sentAt < refusal.answeredAt && answeredAt > refusal.sentAt - WINDOW_MS,
          );
          expect(couldCount.length).toBeGreaterThanOrEqual(LIMIT);
        }
        // The day's bucket holds the admitted ones and this request itself, nothing of the refused ones.
        const [api] = processes;
        if (api === undefined || dayNow() !== startedDay) continue;
        const day = readRateLimit((await callApi(api, "/status", { from })).headers, "RateLimit").dailyTotalRequests;
        expect(500 - Number(day?.r)).toBe(admitted.length + 1);
      }
    },
    DURATION_MS + 60_000,
  );

  test("store no address on Redis, and no key without expiry", async () => {
    const keys = await redisKeys(server.path, "*");
    expect(keys.size).toBeGreaterThan(0);
    for (const [key, livesMs] of keys) {
      expect(key).toMatch(/^dueday:limit:free:[\w-]{16}:\w+$/);
      expect(livesMs).toBeGreaterThan(0);
    }
  });
});

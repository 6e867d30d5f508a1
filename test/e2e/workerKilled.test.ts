import { afterAll, describe, expect, test } from "bun:test";
import { AsOf } from "@dueday/core/schema";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testRedis } from "@dueday/test-support/services";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { startProcess, type TestProcess } from "./startProcess";

const Answer = Type.Object({ asOf: Type.Pick(AsOf, ["source", "stale"]) });
/** A busy machine may hold up the worker for seconds. */
const STALE_AFTER_MS = 8_000;

const redis = await testRedis();
const { url: databaseUrl } = await createTestDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

async function start(...parameters: Parameters<typeof startProcess>): Promise<TestProcess> {
  const process = await startProcess(...parameters);
  cleanUps.push(() => process.dispose());
  return process;
}

describe.if(redis !== null)("an API and a worker, each in its own process", () => {
  test("a client that polls with If-None-Match learns that the worker was killed: 304 turns into 200 with stale true", async () => {
    const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
    cleanUps.push(() => devnet.stop());
    const env = {
      PORT: "0",
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis?.startsWith("/") ? `unix://${redis}` : String(redis),
      CHAINS: "31337",
      CHAIN_31337_RPC_URLS: devnet.url,
      CHAIN_31337_CONTRACT: devnet.contract,
      SCAN_INTERVAL_MS: "500",
      STALE_AFTER_MS: String(STALE_AFTER_MS),
      LIMIT_FREE_GLOBAL_RPM: "1000000",
      LIMIT_FREE_DAILY_TOTAL_REQUESTS: "1000000",
    };
    const worker = await start("apps/worker/src/main.ts", { env });
    const api = await start("apps/api/src/main.ts", { env });
    const [, apiUrl] = await api.printed(/API on (http\S+)/);

    async function ask(etag = "") {
      const response = await fetch(`${apiUrl}/remit/readiness`, { headers: { "If-None-Match": etag } });
      const asOf = response.status === 200 ? Value.Parse(Answer, await response.json()).asOf : null;
      return { status: response.status, etag: response.headers.get("ETag") ?? "", asOf };
    }

    await waitUntil("a snapshot to be served", async () => (await ask()).asOf?.source === "snapshot");
    const { etag } = await ask();
    const aliveUntil = performance.now() + 1.5 * STALE_AFTER_MS;
    await waitUntil("unchanged answers for longer than the stale limit", async () => {
      const { status } = await ask(etag);
      expect(status).toBe(304);
      return performance.now() > aliveUntil;
    });
    worker.kill("SIGKILL");
    const statuses: number[] = [];
    const killedAt = performance.now();
    await waitUntil("another answer than 304", async () => {
      const answer = await ask(etag);
      statuses.push(answer.status);
      if (answer.status === 304) return false;
      expect(answer).toMatchObject({ status: 200, asOf: { source: "snapshot", stale: true } });
      return true;
    });
    expect(statuses).toContain(304);
    console.log(
      `stale answer ${Math.round(performance.now() - killedAt)} ms after the kill, with STALE_AFTER_MS ${STALE_AFTER_MS}`,
    );
  });
});

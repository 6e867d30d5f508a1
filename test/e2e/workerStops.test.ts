import { afterAll, expect, test } from "bun:test";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startProcess, type TestProcess } from "./startProcess";

const { url: databaseUrl } = await createTestDatabase();
const { url: claimedUrl } = await createTestDatabase();
const now = Math.floor(Date.now() / 1000);
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** A worker on a chain of its own, which is another one with another time of its first block. */
async function startWorker(settings: Record<string, string>, chainTime = now): Promise<TestProcess> {
  const devnet = await startDevnet({ scenario: missedPayments, now: chainTime });
  cleanUps.push(() => devnet.stop());
  const worker = await startProcess("apps/worker/src/main.ts", {
    env: {
      DATABASE_URL: databaseUrl,
      CHAINS: "31337",
      CHAIN_31337_RPC_URLS: devnet.url,
      CHAIN_31337_CONTRACT: devnet.contract,
      ...settings,
    },
  });
  cleanUps.push(() => worker.dispose());
  return worker;
}

test("a worker whose Redis is away says so once, without its address, and still ends with code 0 on SIGTERM", async () => {
  const worker = await startWorker({ REDIS_URL: "redis://:a-password@127.0.0.1:1" });
  await worker.printed(/the queue can't be reached/);
  worker.kill("SIGTERM");
  expect(await worker.exited()).toBe(0);
  const output = await worker.output();
  expect(output.match(/the queue can't be reached/g)?.length).toBe(1);
  expect(output).not.toContain("a-password");
});

test("a worker on a database of another chain ends with code 1 and says what to do", async () => {
  const settings = { DATABASE_URL: claimedUrl };
  const owner = await startWorker(settings);
  await owner.printed(/working on the chain/);
  const stranger = await startWorker(settings, now - 60);
  expect(await stranger.exited()).toBe(1);
  expect(await stranger.output()).toContain("use an empty database");
});

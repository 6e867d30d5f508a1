import { afterAll, expect, test } from "bun:test";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { send } from "@dueday/devnet/send";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startProcess, type TestProcess } from "./startProcess";

const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

const isLeader = async (worker: TestProcess) => (await worker.output()).includes("working on the chain");

test("of two workers on one chain one is killed and one is frozen: every event is indexed and announced once", async () => {
  const { url: databaseUrl } = await createTestDatabase();
  const devnet = await startDevnet({ scenario: missedPayments, now: Math.floor(Date.now() / 1000), blockTimeMs: 200 });
  cleanUps.push(() => devnet.stop());
  const database = connectDatabase({ url: databaseUrl });
  cleanUps.push(() => database.close());
  const env = {
    PORT: "0",
    DATABASE_URL: databaseUrl,
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: devnet.url,
    CHAIN_31337_CONTRACT: devnet.contract,
  };

  async function startWorker(): Promise<TestProcess> {
    const worker = await startProcess("apps/worker/src/main.ts", { env });
    cleanUps.push(() => worker.dispose());
    return worker;
  }

  let emitted = 0;
  async function emit(): Promise<void> {
    const profile = { description: `event ${++emitted}`, company: "", url: "", domain: "", email: "", misc: "" };
    const data = encodeEditProvDetails(profile);
    await send(devnet.client, { from: devnet.keeper.address, to: devnet.contract, data });
  }

  /** Descriptions of the stored profiles, in order. */
  async function stored(): Promise<string[]> {
    const rows = await database.sql<{ description: string }[]>`
      select description from provider_details_logs where description like 'event %' order by block_number, log_index`;
    return rows.map(({ description }) => description);
  }

  async function untilAllIsStored(): Promise<void> {
    await waitUntil("every event to be indexed", async () => (await stored()).length >= emitted);
    expect(await stored()).toEqual(Array.from({ length: emitted }, (_, index) => `event ${index + 1}`));
  }

  const first = await startWorker();
  await waitUntil("the first worker to lead", () => isLeader(first), 60_000);
  const second = await startWorker();
  await emit();
  await untilAllIsStored();
  expect(await isLeader(second)).toBe(false);

  first.kill("SIGKILL");
  await emit();
  await waitUntil("the second worker to lead", () => isLeader(second), 60_000);
  await untilAllIsStored();

  const third = await startWorker();
  second.kill("SIGSTOP");
  await emit();
  await waitUntil("the third worker to lead", () => isLeader(third), 60_000);
  await untilAllIsStored();

  second.kill("SIGCONT");
  await second.printed(/has stopped working on the chain/);
  await emit();
  await untilAllIsStored();
  const announced = await database.sql<{ times: number }[]>`
    select count(*)::int as times from outbox where type = 'provider.updated' group by id`;
  expect(announced.map(({ times }) => times)).toEqual(Array.from({ length: emitted }, () => 1));
}, 180_000);

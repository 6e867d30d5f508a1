import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { settle } from "@dueday/devnet/test/settle";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startProcess, type TestProcess } from "./startProcess";

setDefaultTimeout(180_000);

/** Ten minutes of blocks of 200 ms. */
const SECONDS_AWAY = 600;
const BLOCKS_A_SECOND = 5;
const CAP = 10_000;
const MOST_REQUESTS = 10;
const DEPTH = 300;

const { database, url: databaseUrl } = await createTestDatabase();
const devnet = await startDevnet({ scenario: missedPayments, now: Math.floor(Date.now() / 1000) - SECONDS_AWAY - 60 });
const { client, contract } = devnet;
const proxy = startNodeProxy(devnet.url, { logsRange: { blocks: CAP, refusal: "-32600" } });
let worker: TestProcess | null = null;

afterAll(async () => {
  await worker?.dispose();
  await proxy.stop();
  await devnet.stop();
});

async function startWorker(): Promise<TestProcess> {
  worker = await startProcess("apps/worker/src/main.ts", {
    env: {
      DATABASE_URL: databaseUrl,
      CHAINS: "31337",
      CHAIN_31337_RPC_URLS: proxy.url,
      CHAIN_31337_CONTRACT: contract,
      CHAIN_31337_START_BLOCK: devnet.startBlock.toString(),
    },
  });
  return worker;
}

/** Blocks without transactions, of which several have the same timestamp. */
async function mineQuickly(seconds: number): Promise<void> {
  let { timestamp } = await client.getBlock();
  for (let second = 0; second < seconds; second++) {
    timestamp += 1n;
    await client.setNextBlockTimestamp({ timestamp });
    await client.mine({ blocks: BLOCKS_A_SECOND, interval: 0 });
  }
}

/** Replaces the newest blocks by as many without transactions. */
async function reorganise(depth: number): Promise<void> {
  const response = await fetch(devnet.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "anvil_reorg", params: [depth, []] }),
  });
  expect(await response.json()).not.toHaveProperty("error");
}

async function untilIndexed(): Promise<void> {
  await waitUntil("the index to reach the node's head", async () => {
    const block = await client.getBlock();
    const checkpoint = await readCheckpoint(database, { chainId: 31337, contract });
    return checkpoint?.hash === block.hash;
  });
}

/** What the outbox has of payments above a block. */
async function outboxAbove(block: bigint) {
  const rows = await database.sql<{ id: string; type: string; named: string | null }[]>`
    select id, type, body::jsonb #>> '{data,id}' as named from outbox where block_number > ${block.toString()} and topic like 'payment.%' order by seq`;
  return {
    events: rows.filter(({ type }) => type !== "event.retracted"),
    retractions: rows.filter(({ type }) => type === "event.retracted"),
  };
}

test("a worker that was away for 3,000 quick blocks asks for their events in a few requests, and a reorganisation of 300 blocks retracts each event once", async () => {
  const first = await startWorker();
  await untilIndexed();
  first.kill("SIGTERM");
  expect(await first.exited()).toBe(0);
  await first.dispose();
  await mineQuickly(SECONDS_AWAY);
  const common = await client.getBlockNumber();
  const { payments } = await settle(devnet);
  expect(payments).toBeGreaterThan(0);
  await mineQuickly(40);

  proxy.calls.clear();
  await startWorker();
  await untilIndexed();
  const requests = proxy.calls.get("eth_getLogs of events") ?? 0;
  expect(requests).toBeGreaterThan(0);
  expect(requests).toBeLessThanOrEqual(MOST_REQUESTS);
  const before = await outboxAbove(common);
  expect(before.events.length).toBe(payments);
  expect(before.retractions).toEqual([]);

  const startedAt = performance.now();
  await reorganise(DEPTH);
  await waitUntil("every event to be retracted", async () => {
    const { retractions } = await outboxAbove(0n);
    return retractions.length >= payments;
  });
  await untilIndexed();
  console.log(`${requests} requests for 3,000 blocks; healed in ${Math.round(performance.now() - startedAt)} ms`);
  const { retractions } = await outboxAbove(0n);
  const names = retractions.map(({ named }) => named).toSorted();
  expect(names).toEqual(before.events.map(({ id }) => id).toSorted());
});

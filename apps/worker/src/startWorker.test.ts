import { afterEach, expect, test } from "bun:test";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import type { Database } from "@dueday/db/connectDatabase";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { readSnapshots } from "@dueday/db/snapshots/readSnapshots";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startWorker } from "./startWorker";

const { database } = await createTestDatabase();
const { database: claimed } = await createTestDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function startChain(now = Math.floor(Date.now() / 1000)): Promise<Devnet> {
  const devnet = await startDevnet({ scenario: missedPayments, now });
  cleanUps.push(() => devnet.stop());
  return devnet;
}

/** A worker of chain 31337, what it logged, and what ended it. */
function workerOf(url: string, contract: string, store = database, env: Record<string, string> = {}) {
  const config = parseConfig({
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: url,
    CHAIN_31337_CONTRACT: contract,
    SCAN_INTERVAL_MS: "60000",
    ...env,
  });
  const lines: string[] = [];
  const fatal: Error[] = [];
  const logger = createLogger(config, { write: (line) => void lines.push(line) });
  const worker = startWorker(config, {
    database: store,
    logger,
    clock: Date.now,
    onFatal: (error) => void fatal.push(error),
  });
  cleanUps.push(() => worker.stop());
  return { worker, lines, fatal };
}

function kindsOf(contract: string): Promise<string[]> {
  return readSnapshots(database, { chainId: 31337, contract }).then((rows) => [
    ...new Set(rows.map(({ kind }) => kind)),
  ]);
}

test("a node that is unavailable at the start is logged once, without its URL, and retried; then every snapshot is written", async () => {
  const { contract, url } = await startChain();
  const proxy = await startTcpProxy();
  cleanUps.push(() => proxy.stop());
  // Nothing listens there.
  proxy.pointAt(1);
  const { lines, fatal } = workerOf(`http://127.0.0.1:${proxy.port}/?key=key-of-the-operator`, contract);
  await waitUntil("the reason to be logged", () => lines.some((line) => line.includes("can't be reached")));
  proxy.pointAt(Number(new URL(url).port));
  await waitUntil("all snapshots", async () => (await kindsOf(contract)).length === 4);
  expect(lines.filter((line) => line.includes("can't be reached")).length).toBe(1);
  expect(lines.join()).not.toContain("key-of-the-operator");
  expect(fatal).toEqual([]);
});

test("a database of another chain is refused with a message that names the remedy", async () => {
  const now = Math.floor(Date.now() / 1000);
  const [first, second] = [await startChain(now), await startChain(now - 1)];
  const owner = workerOf(first.url, first.contract, claimed);
  await waitUntil("the first to work", () => owner.lines.some((line) => line.includes("working on the chain")));
  await owner.worker.stop();
  const { fatal } = workerOf(second.url, second.contract, claimed);
  await waitUntil("the refusal", () => fatal.length === 1);
  expect(fatal[0]?.message).toContain("the database belongs to another chain");
  expect(fatal[0]?.message).toContain("use an empty database");
});

test("a worker whose node never answers stops at once", async () => {
  const { worker, lines } = workerOf("http://127.0.0.1:1", `0x${"11".repeat(20)}`);
  await waitUntil("the reason to be logged", () => lines.length >= 1);
  await worker.stop();
  expect(lines.some((line) => line.includes("working on the chain"))).toBe(false);
});

test("events are indexed as they come while the Redis of the scans can't be reached", async () => {
  const { database: own } = await createTestDatabase();
  const { contract, url, client, keeper } = await startChain();
  const { fatal } = workerOf(url, contract, own, { REDIS_URL: "redis://127.0.0.1:1" });
  const indexedTo = async () => (await readCheckpoint(own, { chainId: 31337, contract }))?.number ?? -1;
  for (let event = 0; event < 3; event++) {
    const number = Number(await client.getBlockNumber({ cacheTime: 0 }));
    await waitUntil("the last block to be indexed", async () => (await indexedTo()) >= number);
    await send(client, { from: keeper.address, to: contract, data: encodeRemit() });
  }
  expect(fatal).toEqual([]);
});

test("a worker does not follow a chain that is further ahead of its clock than the chain's settings allow", async () => {
  const { contract, url } = await startChain(Math.floor(Date.now() / 1000) + 172_800);
  const { database: own } = await createTestDatabase();
  const { lines, fatal } = workerOf(url, contract, own, { CHAIN_31337_MAX_CLOCK_AHEAD_SECONDS: "86400" });
  await waitUntil("the reason to be logged", () => lines.some((line) => line.includes("is impossible")));
  expect(await readSnapshots(own, { chainId: 31337, contract })).toEqual([]);
  expect(fatal).toEqual([]);
});

test("snapshots that were read of the new chain before the index went back to the common block are read again after it", async () => {
  const { database: own } = await createTestDatabase();
  const { contract, url, client } = await startChain(1_790_000_000);
  const held = Promise.withResolvers<void>();
  const slow: Database = {
    ...own,
    async run(action, work) {
      if (action === "rewind the index") await held.promise;
      return own.run(action, work);
    },
  };
  const { lines } = workerOf(url, contract, slow, { SCAN_INTERVAL_MS: "3600000" });
  const logged = (text: string) => lines.some((line) => line.includes(text));
  /** Whether the plan and the protocol's state are stored, of a block above this one. */
  const areServed = async (block: bigint) => {
    const rows = await readSnapshots(own, { chainId: 31337, contract, keys: [""] });
    const read = rows.filter(({ kind }) => kind === "readiness" || kind === "protocol");
    return read.length === 2 && read.every(({ orphaned, blockNumber }) => !orphaned && blockNumber > block);
  };
  const common = await client.getBlock();
  const id = await client.snapshot();
  await client.mine({ blocks: 1 });
  await waitUntil("the snapshots of the first chain", () => areServed(-1n));
  await waitUntil("the index of the first chain", async () => {
    const checkpoint = await readCheckpoint(own, { chainId: 31337, contract });
    return checkpoint !== null && checkpoint.number > Number(common.number);
  });
  await client.revert({ id });
  // Two days later, so that what is read has another content.
  await client.setNextBlockTimestamp({ timestamp: common.timestamp + 172_800n });
  await client.mine({ blocks: 3 });
  await waitUntil("the snapshots of the new chain", () => areServed(common.number));
  expect(logged("the index went back")).toBe(false);
  held.resolve();
  await waitUntil("the index to go back", () => logged("the index went back"));
  await waitUntil("the snapshots to be current again", () => areServed(common.number));
});

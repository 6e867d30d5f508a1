import { expect, test } from "bun:test";
import { pagesOfQuery, presentDueHead } from "@dueday/chain/due/presentDueHead";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { dueDayOf } from "@dueday/core/test/dueDayOf";
import type { Database } from "@dueday/db/connectDatabase";
import { cutDueDay } from "@dueday/db/duePages/cutDueDay";
import { readDuePages } from "@dueday/db/duePages/readDuePages";
import { writeDuePages } from "@dueday/db/duePages/writeDuePages";
import { notifyHead } from "@dueday/db/headMessage";
import { confirmSnapshots } from "@dueday/db/snapshots/confirmSnapshots";
import { markSnapshotsOrphaned } from "@dueday/db/snapshots/markSnapshotsOrphaned";
import { type NewSnapshot, writeSnapshots } from "@dueday/db/snapshots/writeSnapshots";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { createPageStore } from "./createPageStore";
import { feedSnapshots } from "./feedSnapshots";
import { createSnapshotCache } from "./snapshotCache";
import type { SnapshotView } from "./snapshotView";

const { database, url } = await createTestDatabase();
const CHAIN_ID = 31337;
let contracts = 0;

function newContract(): string {
  contracts += 1;
  return `0x${contracts.toString(16).padStart(40, "0")}`;
}

const TOKENS = '{"tokens":[],"count":0}';
const PROTOCOL = JSON.stringify({
  contractAddress: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  nextUncheckedDay: 20_711,
  nextUncheckedDate: "2026-09-15",
  currentDay: 20_717,
  callerFee: 10_200,
  callerFeePercent: "2",
  systemFee: 11_000,
  systemFeePercent: "10",
  maxRemits: 10,
  cancelLimit: 5,
  totalSubscribers: 60,
});

function row(contract: string, block: number, overrides: Partial<NewSnapshot> = {}): NewSnapshot {
  return {
    chainId: CHAIN_ID,
    contract,
    kind: "protocol",
    key: "",
    blockNumber: BigInt(block),
    payload: PROTOCOL,
    blockHash: `0x${block.toString(16).padStart(64, "0")}`,
    blockTimestamp: 1_790_000_000 + block,
    blockTimestampMs: null,
    computedAt: new Date(),
    hash: `hash of ${block}`,
    ...overrides,
  };
}

function startFeed(contract: string, read: Database = database, rereadMs = 50) {
  const lines: string[] = [];
  const cache = createSnapshotCache({
    chainId: CHAIN_ID,
    staleAfterMs: 60_000,
    clock: Date.now,
    pages: createPageStore((hashes) => readDuePages(read, { chainId: CHAIN_ID, contract }, hashes)),
  });
  let heads = 0;
  const feed = feedSnapshots({
    onHead: () => void heads++,
    database: read,
    databaseUrl: url,
    rereadMs,
    chains: [{ chainId: CHAIN_ID, contract, cache }],
    logger: createLogger(parseConfig({}), { write: (line) => void lines.push(line) }),
  });
  /** Announces a head until the feed has received one. */
  async function announceHead(): Promise<void> {
    const before = heads;
    await waitUntil("the announced head", async () => {
      await notifyHead(database, { chainId: CHAIN_ID, contract, validForMs: 0, head: null });
      return heads > before;
    });
  }
  return { feed, cache, announceHead, log: () => lines.join("") };
}

test("a stored snapshot has the milliseconds of its block, where its node shows them", async () => {
  const contract = newContract();
  const blockTimestampMs = 1_790_000_001_400;
  await writeSnapshots(database, [
    row(contract, 1, { blockTimestampMs }),
    row(contract, 1, { kind: "tokens", payload: TOKENS }),
  ]);
  const { feed, cache } = startFeed(contract);
  await feed.ready;
  expect(cache.get("protocol")?.stamp.timestampMs).toBe(blockTimestampMs);
  expect(cache.get("tokens")?.stamp).not.toHaveProperty("timestampMs");
  await feed.close();
});

test("a snapshot that is not JSON is named and logged once; the others are served, and the database is not blamed", async () => {
  const contract = newContract();
  const broken = row(contract, 1, { kind: "readiness", payload: '{"broken' });
  await writeSnapshots(database, [row(contract, 1), broken, row(contract, 1, { kind: "tokens", payload: TOKENS })]);
  let reads = 0;
  const { feed, cache, log } = startFeed(contract, {
    ...database,
    async run(action, work) {
      const found = await database.run(action, work);
      reads += 1;
      return found;
    },
  });
  await feed.ready;
  expect(feed.check()).toEqual({ status: "ok" });
  expect(cache.unreadable()).toEqual(["readiness"]);
  expect([cache.get("protocol"), cache.get("readiness")]).toMatchObject([{ kind: "protocol" }, null]);
  await writeSnapshots(database, [row(contract, 2)]);
  await waitUntil("the next block is served", async () => cache.get("protocol")?.stamp.blockNumber === "2");
  const readsBefore = reads;
  await waitUntil("everything is read twice more", () => reads >= readsBefore + 2);
  expect(log().match(/is not JSON/g)).toHaveLength(1);
  await database.sql`delete from snapshots where contract = ${contract} and kind like 'readiness%'`;
  await waitUntil("the mark is gone", async () => cache.unreadable().length === 0);
  await feed.close();
});

test("a slow read does not bring back an older snapshot", async () => {
  const contract = newContract();
  await writeSnapshots(database, [row(contract, 1)]);
  const slow = Promise.withResolvers<void>();
  let isFirst = true;
  let hasFound = false;
  const { feed, cache, announceHead } = startFeed(contract, {
    ...database,
    async run(action, work) {
      const isSlow = isFirst;
      isFirst = false;
      const found = await database.run(action, work);
      if (isSlow) hasFound = true;
      if (isSlow) await slow.promise;
      return found;
    },
  });
  await waitUntil("the first read has its rows", () => hasFound);
  await announceHead();
  await writeSnapshots(database, [row(contract, 2)]);
  // It arrives after the notification of the change, which has then overtaken the read.
  await announceHead();
  slow.resolve();
  await feed.ready;
  const seen: (string | undefined)[] = [];
  await waitUntil("the newest block is served", async () => {
    seen.push(cache.get("protocol")?.stamp.blockNumber);
    return seen.at(-1) === "2";
  });
  expect(seen.join("")).toMatch(/^1*2$/);
  await feed.close();
});

/** A database whose reads, while it is held, have their rows and keep them back until `release()`. */
function createHeldReads() {
  let gate: PromiseWithResolvers<void> | null = null;
  let held = 0;
  const reading: Database = {
    ...database,
    async run(action, work) {
      const found = await database.run(action, work);
      if (gate !== null) held += 1;
      await gate?.promise;
      return found;
    },
  };
  return {
    reading,
    held: () => held,
    hold() {
      gate = Promise.withResolvers();
    },
    release() {
      gate?.resolve();
      gate = null;
    },
  };
}

test("the first pages of due lists are in memory with their snapshot, and the others are read when they are asked for", async () => {
  const contract = newContract();
  const { head, pages } = cutDueDay(dueDayOf(20_777, [250, 120]));
  await writeDuePages(database, { chainId: CHAIN_ID, contract }, pages);
  await writeSnapshots(database, [row(contract, 1, { kind: "due", key: "20777", payload: JSON.stringify(head) })]);
  const { feed, cache } = startFeed(contract);
  await feed.ready;
  const view = (skip: number): SnapshotView => {
    const query = { frequency: undefined, first: 100, skip };
    return {
      kind: "due",
      key: "20777",
      variant: String(skip),
      pages: (payload) => pagesOfQuery(payload, query),
      present: (payload, found) => presentDueHead(payload, found, query),
    };
  };
  const shown = (skip: number) => cache.answer(view(skip))?.text.match(/"subscribers":/g)?.length ?? null;
  expect([shown(0), shown(100)]).toEqual([200, null]);
  expect(await cache.load(view(100))).toBe(true);
  expect(shown(100)).toBe(120);
  await feed.close();
});

function proofAt(contract: string, block: number, hash: string) {
  const blockHash: `0x${string}` = `0x${"c".repeat(64)}`;
  const confirmed = { number: BigInt(block), hash: blockHash, timestamp: BigInt(1_790_000_000 + block) };
  const snapshots = [{ kind: "protocol" as const, key: "", hash }];
  return { chainId: CHAIN_ID, contract, block: confirmed, confirmedAt: new Date(), snapshots };
}

test("a proof that arrives while the content it proves is still being read is not lost", async () => {
  const contract = newContract();
  await writeSnapshots(database, [row(contract, 1)]);
  const reads = createHeldReads();
  const { feed, cache, announceHead } = startFeed(contract, reads.reading, 3_600_000);
  await announceHead();
  await waitUntil("the first block is served", () => cache.get("protocol")?.stamp.blockNumber === "1");
  reads.hold();
  await writeSnapshots(database, [row(contract, 2)]);
  await waitUntil("the change is being read", () => reads.held() > 0);
  await confirmSnapshots(database, proofAt(contract, 3, "hash of 2"));
  await announceHead();
  reads.release();
  await waitUntil("the change was read", () => cache.get("protocol")?.hash === "hash of 2");
  await waitUntil("the block of the proof", () => cache.get("protocol")?.stamp.blockNumber === "3");
  await feed.close();
});

test("a read that began before blocks were replaced does not bring their proofs back", async () => {
  const contract = newContract();
  await writeSnapshots(database, [row(contract, 1)]);
  const reads = createHeldReads();
  const { feed, cache, announceHead } = startFeed(contract, reads.reading, 3_600_000);
  await announceHead();
  reads.hold();
  await writeSnapshots(database, [row(contract, 2)]);
  await waitUntil("the change is being read", () => reads.held() > 0);
  await confirmSnapshots(database, proofAt(contract, 3, "hash of 2"));
  await markSnapshotsOrphaned(database, { chainId: CHAIN_ID, contract, fromBlock: 3n });
  await announceHead();
  reads.release();
  await waitUntil("the change was read", () => cache.get("protocol")?.hash === "hash of 2");
  await feed.close();
  expect(cache.get("protocol")).toMatchObject({ stamp: { blockNumber: "2" }, confirmedAt: null });
});

test("a slow read does not keep a snapshot of replaced blocks in answers", async () => {
  const contract = newContract();
  await writeSnapshots(database, [row(contract, 1)]);
  const reads = createHeldReads();
  const { feed, cache, announceHead } = startFeed(contract, reads.reading, 3_600_000);
  await announceHead();
  await waitUntil("the first block is served", () => cache.get("protocol")?.stamp.blockNumber === "1");
  reads.hold();
  await markSnapshotsOrphaned(database, { chainId: CHAIN_ID, contract, fromBlock: 1n });
  await announceHead();
  await waitUntil("the snapshot is withdrawn", () => cache.get("protocol")?.orphaned === true);
  reads.release();
  await feed.close();
});

test("after a failed read of a change everything is read with the next change, and until then the check is down", async () => {
  const contract = newContract();
  await writeSnapshots(database, [row(contract, 1)]);
  let away = false;
  let [reads, failures] = [0, 0];
  const watched: Database = {
    ...database,
    async run(action, work) {
      if (away) failures += 1;
      if (away) throw new Error("away");
      const found = await database.run(action, work);
      reads += 1;
      return found;
    },
  };
  const { feed, cache } = startFeed(contract, watched, 3_600_000);
  const tokens = row(contract, 2, { kind: "tokens", payload: TOKENS });
  await waitUntil("the reads at the start and when notifications arrive", () => reads >= 2);
  // Nothing else is read: the read that fails is that of the tokens.
  away = true;
  await writeSnapshots(database, [tokens]);
  await waitUntil("the read of the change fails", async () => failures > 0);
  await waitUntil("the check is down", async () => feed.check().status === "down");
  away = false;
  expect(cache.get("tokens")).toBeNull();
  await writeSnapshots(database, [row(contract, 3)]);
  await waitUntil("the next block is served", async () => cache.get("protocol")?.stamp.blockNumber === "3");
  await waitUntil("the check is ok", async () => feed.check().status === "ok");
  expect(cache.get("tokens")?.stamp.blockNumber).toBe("2");
  await feed.close();
});

test("a confirmation that can't be applied is logged, and later blocks are read and served", async () => {
  const contract = newContract();
  await writeSnapshots(database, [row(contract, 1)]);
  const { feed, cache, announceHead, log } = startFeed(contract, database, 60_000);
  await feed.ready;
  await announceHead();
  const { confirm } = cache;
  cache.confirm = () => {
    cache.confirm = confirm;
    throw new Error("a fault of this test");
  };
  await confirmSnapshots(database, proofAt(contract, 3, "hash of 1"));
  await waitUntil("the fault is logged", () => log().includes("a fault of this test"));
  await writeSnapshots(database, [row(contract, 2)]);
  await waitUntil("the next block is served", () => cache.get("protocol")?.stamp.blockNumber === "2");
  await feed.close();
});

test("close waits for the read under way, and none starts after it", async () => {
  const contract = newContract();
  await writeSnapshots(database, [row(contract, 1)]);
  let [started, ended] = [0, 0];
  const held = Promise.withResolvers<void>();
  const watched: Database = {
    ...database,
    async run(action, work) {
      started += 1;
      const found = await database.run(action, work);
      await held.promise;
      ended += 1;
      return found;
    },
  };
  const { feed } = startFeed(contract, watched);
  const other = startFeed(contract, database, 3_600_000);
  await other.feed.ready;
  await waitUntil("a read is under way", async () => started > ended);
  const closing = feed.close();
  held.resolve();
  await closing;
  const startedBefore = started;
  expect(ended).toBe(started);
  await writeSnapshots(database, [row(contract, 2)]);
  await waitUntil("another feed has the change", () => other.cache.get("protocol")?.stamp.blockNumber === "2");
  await other.feed.close();
  expect(started).toBe(startedBefore);
});

test("a snapshot whose first pages could not be read is not served with the content of the one before", async () => {
  const contract = newContract();
  const day = 20_777;
  const write = async (block: number, lengths: number[]) => {
    const { head, pages } = cutDueDay(dueDayOf(day, lengths));
    await writeDuePages(database, { chainId: CHAIN_ID, contract }, pages);
    await writeSnapshots(database, [
      row(contract, block, { kind: "due", key: String(day), payload: JSON.stringify(head) }),
    ]);
  };
  await write(1, [1, 0, 0, 0]);
  let isFailing = false;
  let failures = 0;
  const { feed, cache } = startFeed(contract, {
    ...database,
    run(action, work) {
      if (!isFailing || action !== "read due pages") return database.run(action, work);
      failures++;
      return Promise.reject(new Error("away"));
    },
  });
  await feed.ready;
  const served = () => {
    const held = cache.get("due", String(day));
    return [held?.stamp.blockNumber, held?.payload.lists[0]?.count];
  };
  expect(served()).toEqual(["1", 1]);
  isFailing = true;
  await write(2, [3, 0, 0, 0]);
  await waitUntil("the read of the pages fails", () => failures > 0);
  expect(served()).toEqual(["1", 1]);
  isFailing = false;
  await waitUntil("the next block is served", () => served()[0] === "2");
  expect(served()).toEqual(["2", 3]);
  await feed.close();
});

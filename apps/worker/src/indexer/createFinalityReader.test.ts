import { afterAll, expect, test } from "bun:test";
import type { Rpc } from "@dueday/chain/client/createChainClient";
import { connectDatabase } from "@dueday/db/connectDatabase";
import type { StoredFinality } from "@dueday/db/indexing/readCheckpoint";
import { startFaultyNode } from "@dueday/worker/test/faultyNode";
import { indexContext } from "@dueday/worker/test/indexFixture";
import { CONTRACT, StubChain } from "@dueday/worker/test/stubChain";
import { createFinalityReader } from "./createFinalityReader";
import { readHeader, toIndexedBlock } from "./headers";

// It writes nothing: the database is never reached.
const database = connectDatabase({ url: "postgres://127.0.0.1:1/none" });
const stops: (() => unknown)[] = [() => database.close()];
afterAll(async () => {
  for (const stop of stops) await stop();
});

/** A chain with a block every 200 ms, a reader on it, and the calls that it has sent. */
function startChain(blocks: number, finalitySeconds: number) {
  const chain = new StubChain(1);
  chain.blockMs = 200;
  for (let block = 0; block < blocks; block++) chain.mine([]);
  const node = startFaultyNode((method, params) => chain.answer(method, params), {
    random: () => 1,
    faultRate: () => 0,
    widestRange: 10_000,
    stalestBy: 0,
  });
  stops.push(node.stop);
  const sound = indexContext({ database, url: node.url, chainId: 1, contract: CONTRACT }).chainData.rpc;
  let calls = 0;
  const rpc: Rpc = (method, params) => {
    calls++;
    return sound(method, params);
  };
  const reader = createFinalityReader({ rpc, finalitySeconds, clock: () => 0, everyMs: 0 });
  const blockAt = async (number: number) => toIndexedBlock(await readHeader(sound, number));
  return { chain, rpc, reader, blockAt, countCalls: () => calls };
}

test("without tags the last block that is old enough is final, of several with its timestamp the last, found by few requests", async () => {
  const { chain, reader, blockAt, countCalls } = startChain(20_000, 1_800);
  chain.tagsBehind = null;
  const head = await blockAt(chain.head);
  const found = await reader.read(head, null);
  expect(found).toMatchObject({ by: "time", safeNumber: found.finalNumber });
  const [final, next] = [await blockAt(found.finalNumber), await blockAt(found.finalNumber + 1)];
  expect(head.timestamp - final.timestamp).toBe(1_800);
  expect(head.timestamp - next.timestamp).toBeLessThan(1_800);
  expect(found.finalHash).toBe(final.hash);
  expect(countCalls()).toBeLessThanOrEqual(14);
});

test("without tags and with an age of 0, the head is final", async () => {
  const { chain, reader, blockAt } = startChain(50, 0);
  chain.tagsBehind = null;
  expect(await reader.read(await blockAt(chain.head), null)).toMatchObject({ finalNumber: chain.head, by: "time" });
});

test("a tag below what is known is that of a node that lags, unless the known block was replaced", async () => {
  const { chain, reader, blockAt } = startChain(2_000, 0);
  const known = await reader.read(await blockAt(chain.head), null);
  expect(known).toMatchObject({ by: "tag", safeNumber: chain.head - 32, finalNumber: chain.head - 64 });
  chain.tagsBehind = { safe: 300, finalized: 400 };
  expect(await reader.read(await blockAt(chain.head), null)).toMatchObject({
    safeNumber: known.safeNumber,
    finalNumber: known.finalNumber,
  });
  chain.rollBack(chain.head - 200);
  for (let block = 0; block < 200; block++) chain.mine([], 1);
  expect(await reader.read(await blockAt(chain.head), null)).toMatchObject({
    safeNumber: chain.head - 300,
    finalNumber: chain.head - 400,
  });
});

test("the node is asked at most once in 30 s, and one that fails takes nothing back", async () => {
  const { chain, rpc, blockAt, countCalls } = startChain(500, 0);
  const head = await blockAt(chain.head);
  const reader = createFinalityReader({ rpc, finalitySeconds: 0, clock: () => 0 });
  await reader.read(head, null);
  const before = countCalls();
  for (let time = 0; time < 5; time++) await reader.read(head, null);
  expect(countCalls()).toBe(before);
  const stored: StoredFinality = {
    safeNumber: 9,
    finalNumber: 7,
    finalHash: head.hash,
    by: "tag",
    readAt: new Date(0),
  };
  let refused = 0;
  const failing = createFinalityReader({
    rpc: () => {
      refused++;
      return Promise.reject(new Error("away"));
    },
    finalitySeconds: 0,
    clock: () => 0,
  });
  for (let time = 0; time < 5; time++) expect(await failing.read(head, stored)).toEqual(stored);
  expect(refused).toBe(2);
  await expect(
    createFinalityReader({ rpc: () => Promise.reject(new Error("away")), finalitySeconds: 0, clock: () => 0 }).read(
      head,
      null,
    ),
  ).rejects.toThrow("away");
});

import { afterAll, expect, test } from "bun:test";
import { parseBlock } from "@dueday/chain/block/parseBlock";
import type { Database } from "@dueday/db/connectDatabase";
import { readLogPositions } from "@dueday/db/eventIndex/logPositions";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { rebuildDerived } from "@dueday/db/indexing/rebuildDerived";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { testDepth } from "@dueday/test-support/testDepth";
import { startFaultyNode } from "@dueday/worker/test/faultyNode";
import { indexContext, indexDigest } from "@dueday/worker/test/indexFixture";
import { CONTRACT, StubChain } from "@dueday/worker/test/stubChain";
import { StubHistory } from "@dueday/worker/test/stubHistory";
import { indexLogs } from "./indexLogs";
import { recheckLogs } from "./recheckLogs";

const { database } = await createTestDatabase();
/** 200 in `bun run test:deep`. */
const SEEDS = testDepth === 1 ? 6 : 20 * testDepth;
/** While a seed waits for a node that does not answer, others run: each in its own database, since every backfill analyzes its tables. */
const LANES = 6;
const LAGS_BY = 20;
const DEPTHS = [1, 3, 64];
const WIDEST_RANGES = [10, 500, 10_000];
const FIRST_SEED = Number(process.env.INDEX_SEED ?? 1);
const laneDatabases = await Promise.all(Array.from({ length: LANES }, () => createTestDatabase()));
const tally = { requests: 0, reorganisations: 0, restarts: 0 };

afterAll(() => {
  console.log(`index against a faulty node: ${SEEDS} seeds from ${FIRST_SEED}`, tally);
});

async function untilIndexed(run: () => Promise<unknown>, isIndexed: () => Promise<boolean>): Promise<void> {
  for (let pass = 0; pass < 200; pass++) {
    try {
      await run();
    } catch {
      // What the node does to a pass is the point of the test; the next one goes on.
      tally.restarts++;
    }
    if (await isIndexed()) return;
  }
  throw new Error("the index did not reach the head in 200 passes");
}

async function runSeed(database: Database, seed: number): Promise<void> {
  const random = randomFrom(seed);
  const [chainId, freshId] = [seed * 2, seed * 2 + 1];
  const chain = new StubChain(chainId);
  const history = new StubHistory(random);
  let faultRate = 0.3;
  let reorgAfter = 1 + Math.floor(random() * 30);
  const answer = (method: string, params: readonly unknown[], staleBy: number) => {
    // In the middle of a pass, between any two answers.
    if (--reorgAfter === 0) reorganise();
    return chain.answer(method, params, Math.max(0, chain.head - staleBy));
  };
  function reorganise(): void {
    const depth = DEPTHS[Math.floor(random() * DEPTHS.length)] ?? 1;
    chain.rollBack(chain.head - depth);
    history.mine(chain, depth + Math.floor(random() * 3));
    tally.reorganisations++;
  }
  history.mine(chain, 90 + Math.floor(random() * 80));
  const node = startFaultyNode(answer, {
    random,
    faultRate: () => faultRate,
    widestRange: WIDEST_RANGES[seed % WIDEST_RANGES.length] ?? 10,
    stalestBy: LAGS_BY,
  });
  try {
    const fixture = { database, url: node.url, contract: CONTRACT, requestTimeoutMs: 100 };
    const context = indexContext({ ...fixture, chainId });
    const signal = new AbortController().signal;
    for (let round = 0; round < 3; round++) {
      for (let passes = 0; passes < 2; passes++) {
        await indexLogs(context, signal).catch(() => tally.restarts++);
      }
      history.mine(chain, Math.floor(random() * 10));
      reorgAfter = 1 + Math.floor(random() * 20);
    }
    faultRate = 0;
    reorgAfter = 0;
    const tip = () => chain.answer("eth_getBlockByNumber", ["latest", false]);
    // A sound node on a busy machine may take longer than the one that does not answer is waited for.
    const patient = indexContext({ ...fixture, chainId, requestTimeoutMs: 10_000 });
    await untilIndexed(
      () => indexLogs(patient, signal),
      async () => {
        const checkpoint = await readCheckpoint(database, context.chain);
        return checkpoint !== null && checkpoint.hash === parseBlock(tip()).hash;
      },
    );
    // A range that a lagging node answered may lack logs. Where ranges are narrow, blocks are compared when they are safe.
    chain.tagsBehind = { safe: 0, finalized: 64 };
    await recheckLogs(patient);
    await expectFresh(database, chain, { chainId, freshId });
  } catch (error) {
    throw new Error(`seed ${seed} failed`, { cause: error });
  } finally {
    tally.requests += node.requests();
    node.stop();
  }
}

/** The index equals one made from the final chain in a single go. */
async function expectFresh(database: Database, chain: StubChain, ids: { chainId: number; freshId: number }) {
  const sound = startFaultyNode(
    (method, params) => (method === "eth_chainId" ? `0x${ids.freshId.toString(16)}` : chain.answer(method, params)),
    { random: () => 1, faultRate: () => 0, widestRange: 10_000, stalestBy: 0 },
  );
  try {
    const fixture = { database, url: sound.url, contract: CONTRACT };
    await indexLogs(indexContext({ ...fixture, chainId: ids.freshId }), new AbortController().signal);
    expect(await indexDigest(database, ids.chainId)).toEqual(await indexDigest(database, ids.freshId));
  } finally {
    sound.stop();
  }
}

test(
  "whatever faults the node had, the index ends equal to a fresh one of the final chain",
  async () => {
    const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index);
    const lanes = laneDatabases.map(async (lane) => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await runSeed(lane.database, seed);
    });
    await Promise.all(lanes);
  },
  { timeout: 600_000 * testDepth },
);

test("logs of a block that a node returned wrongly are found by the background check, and replaced", async () => {
  const [chainId, freshId] = [900_000, 900_001];
  const random = randomFrom(1);
  const chain = new StubChain(chainId);
  new StubHistory(random).mine(chain, 120);
  const node = startFaultyNode((method, params) => chain.answer(method, params), {
    random,
    faultRate: () => 0,
    widestRange: 10_000,
    stalestBy: 0,
  });
  const fixture = { database, url: node.url, contract: CONTRACT };
  const context = indexContext({ ...fixture, chainId });
  const signal = new AbortController().signal;
  await indexLogs(context, signal);
  const scope = { chainId, contract: CONTRACT };
  const wrong = (await readLogPositions(database, scope, { from: 90, to: 120 }))[0]?.blockNumber ?? 0;
  await database.sql`update sub_logs set block_hash = '\\x00' where chain_id = ${chainId} and block_number = ${wrong}`;
  await recheckLogs(context);
  await database.sql`delete from activity_counters where chain_id = ${chainId}`;
  await rebuildDerived(database, context.chain);
  await expectFresh(database, chain, { chainId, freshId });
  node.stop();
});

test("a lower head alone is a node that lags: nothing is removed, and another chain can't empty the index", async () => {
  const chainId = 900_002;
  const chain = new StubChain(chainId);
  new StubHistory(randomFrom(2)).mine(chain, 100);
  let answering = chain;
  let staleBy = 0;
  const node = startFaultyNode(
    (method, params) => answering.answer(method, params, Math.max(0, answering.head - staleBy)),
    { random: () => 1, faultRate: () => 0, widestRange: 10_000, stalestBy: 0 },
  );
  const context = indexContext({ database, url: node.url, chainId, contract: CONTRACT });
  const signal = new AbortController().signal;
  await indexLogs(context, signal);
  const before = await indexDigest(database, chainId);
  staleBy = 50;
  await indexLogs(context, signal);
  expect(await indexDigest(database, chainId)).toEqual(before);
  staleBy = 0;
  answering = new StubChain(chainId, 1);
  new StubHistory(randomFrom(3)).mine(answering, 100);
  await expect(indexLogs(context, signal)).rejects.toThrow("no block in common");
  expect(await indexDigest(database, chainId)).toEqual(before);
  node.stop();
});

const LOGS_OF_DENSE_BLOCK = 40;
/** More than one dense block as JSON, less than two. */
const BOUND_BYTES = 60_000;

/** A chain of quiet blocks with a stretch of dense ones, and an indexer that reads answers up to BOUND_BYTES. */
function denseChain(
  chainId: number,
  {
    tagsBehind,
    logs = LOGS_OF_DENSE_BLOCK,
    readsDenseBlocks = false,
  }: { tagsBehind: number; logs?: number; readsDenseBlocks?: boolean },
) {
  const chain = new StubChain(chainId);
  chain.tagsBehind = { safe: tagsBehind, finalized: tagsBehind };
  const history = new StubHistory(randomFrom(4));
  history.mine(chain, 10);
  const log = { id: 1, provider: 1, subscriber: 11, amount: 1n, code: 6 };
  for (let block = 0; block < 12; block++) chain.mine(Array.from({ length: logs }, () => log));
  history.mine(chain, 30);
  const node = startFaultyNode((method, params) => chain.answer(method, params), {
    random: () => 1,
    faultRate: () => 0,
    widestRange: 10_000,
    stalestBy: 0,
  });
  const fixture = { database, url: node.url, contract: CONTRACT, chainId, readsDenseBlocks };
  return { chain, node, context: indexContext({ ...fixture, maxResponseBytes: BOUND_BYTES }) };
}

test.each([
  ["of final blocks", 1, 900_010],
  ["near the head", 1_000, 900_020],
])(
  "a stretch of dense blocks %s whose answers pass the size bound together is indexed, down to one at a time",
  async (_, tagsBehind, chainId) => {
    const { chain, node, context } = denseChain(chainId, { tagsBehind });
    await indexLogs(context, new AbortController().signal);
    expect((await readCheckpoint(database, context.chain))?.number).toBe(chain.head);
    await expectFresh(database, chain, { chainId, freshId: chainId + 1 });
    node.stop();
  },
);

test.each([
  ["of final blocks", 1, 900_040],
  ["near the head", 1_000, 900_050],
])("a single block %s whose logs pass the size bound is indexed with a higher one", async (_, tagsBehind, chainId) => {
  const dense = { tagsBehind, logs: 2 * LOGS_OF_DENSE_BLOCK, readsDenseBlocks: true };
  const { chain, node, context } = denseChain(chainId, dense);
  await indexLogs(context, new AbortController().signal);
  expect((await readCheckpoint(database, context.chain))?.number).toBe(chain.head);
  await expectFresh(database, chain, { chainId, freshId: chainId + 1 });
  node.stop();
});

test("an index that can't advance records the head and the reason, so that its lag is visible", async () => {
  const { chain, node, context } = denseChain(900_030, { tagsBehind: 1_000, logs: 2 * LOGS_OF_DENSE_BLOCK });
  await expect(indexLogs(context, new AbortController().signal)).rejects.toThrow("too large");
  expect(await readCheckpoint(database, context.chain)).toMatchObject({
    number: 10,
    headNumber: chain.head,
    failure: expect.stringContaining("more logs than the chain's node returns"),
  });
  node.stop();
});

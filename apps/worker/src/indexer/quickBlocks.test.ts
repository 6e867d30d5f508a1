import { afterAll, expect, test } from "bun:test";
import type { NewDomainEvent } from "@dueday/core/domainEvents/domainEvent";
import { finalityOf } from "@dueday/core/finality";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startFaultyNode } from "@dueday/worker/test/faultyNode";
import { indexContext, indexDigest } from "@dueday/worker/test/indexFixture";
import { CONTRACT, StubChain } from "@dueday/worker/test/stubChain";
import { StubHistory } from "@dueday/worker/test/stubHistory";
import { numberToHex } from "viem";
import { indexLogs } from "./indexLogs";
import { recheckLogs } from "./recheckLogs";
import { runIndexer } from "./runIndexer";

// Chains with a block every 200 ms, whose tags are two and twenty minutes behind.

const { database } = await createTestDatabase();
const signal = new AbortController().signal;
const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

const BLOCK_MS = 200;
const TAGS = { safe: 600, finalized: 6_000 };

/** A chain of quick blocks, an indexer on it behind a cap on ranges, and how many requests for logs that has sent. */
function quickChain(chainId: number, seed: number, widestRange = 10_000) {
  const chain = new StubChain(chainId);
  chain.blockMs = BLOCK_MS;
  chain.tagsBehind = TAGS;
  const history = new StubHistory(randomFrom(seed));
  let logRequests = 0;
  let beforeAnswer = () => {};
  /** Logs of later blocks are not returned, as by a node that serves a block before its logs. */
  let logsUpTo = Number.POSITIVE_INFINITY;
  const node = startFaultyNode(
    (method, params) => {
      beforeAnswer();
      if (method === "eth_getLogs") logRequests++;
      const answer = chain.answer(method, params);
      if (method !== "eth_getLogs" || !Array.isArray(answer)) return answer;
      return answer.filter(({ blockNumber }) => Number(blockNumber) <= logsUpTo);
    },
    { random: () => 1, faultRate: () => 0, widestRange, stalestBy: 0 },
  );
  const fresh = startFaultyNode(
    (method, params) => (method === "eth_chainId" ? numberToHex(chainId + 1) : chain.answer(method, params)),
    { random: () => 1, faultRate: () => 0, widestRange: 10_000, stalestBy: 0 },
  );
  stops.push(node.stop, fresh.stop);
  /** Blocks without events, and some with. */
  function mine(blocks: number, salt = 0): void {
    const quiet = Math.max(0, blocks - 10);
    history.mine(chain, blocks - quiet);
    for (let block = 0; block < quiet; block++) chain.mine([], salt);
  }
  return {
    chain,
    mine,
    scope: { chainId, contract: CONTRACT },
    /** A process that has just started. */
    start: () => indexContext({ database, url: node.url, chainId, contract: CONTRACT }),
    countLogRequests: () => logRequests,
    holdLogsAbove(block: number) {
      logsUpTo = block;
    },
    beforeEachAnswer(run: () => void) {
      beforeAnswer = run;
    },
    async expectFresh() {
      const whole = indexContext({ database, url: fresh.url, chainId: chainId + 1, contract: CONTRACT });
      await indexLogs(whole, signal);
      expect(await indexDigest(database, chainId)).toEqual(await indexDigest(database, chainId + 1));
    },
  };
}

type WrittenEvent = { seq: number; type: string; event: NewDomainEvent };

async function eventsAfter(chainId: number, seq: number): Promise<WrittenEvent[]> {
  const rows = await database.sql<{ seq: number; type: string; body: string }[]>`
    select seq::float8 as seq, type, body from outbox where chain_id = ${chainId} and seq > ${seq} order by seq`;
  // The bodies are events that the index has written.
  return rows.map(({ seq, type, body }) => ({ seq, type, event: JSON.parse(body) as NewDomainEvent }));
}

test("after 10 minutes away, 3,000 blocks are caught up with and checked again by at most 10 requests for logs", async () => {
  const { mine, chain, start, countLogRequests, expectFresh, scope } = quickChain(930_000, 1);
  mine(7_000);
  await indexLogs(start(), signal);
  mine(1_500);
  mine(1_500);
  const before = countLogRequests();
  const context = start();
  await indexLogs(context, signal);
  expect((await readCheckpoint(database, scope))?.number).toBe(chain.head);
  await recheckLogs(context);
  expect(countLogRequests() - before).toBeLessThanOrEqual(10);
  await expectFresh();
});

test("logs that the node did not return yet with a range of a catch-up are found by the next check", async () => {
  const { mine, chain, start, expectFresh, holdLogsAbove, scope } = quickChain(930_060, 3);
  mine(7_000);
  await indexLogs(start(), signal);
  mine(900);
  mine(10);
  holdLogsAbove(chain.head - 5);
  const context = start();
  await indexLogs(context, signal);
  const before = await eventsAfter(scope.chainId, 0);
  holdLogsAbove(Number.POSITIVE_INFINITY);
  await recheckLogs(context);
  expect((await eventsAfter(scope.chainId, 0)).length).toBeGreaterThan(before.length);
  await expectFresh();
});

test("behind a cap of 10 blocks such logs are found seconds after the catch-up, whose last 10 s alone are read again", async () => {
  const { mine, chain, start, expectFresh, holdLogsAbove, countLogRequests, scope } = quickChain(930_070, 4, 10);
  mine(700);
  await indexLogs(start(), signal);
  mine(500);
  mine(10);
  holdLogsAbove(chain.head - 8);
  const indexer = runIndexer(start(), { recheckMs: 5_100 });
  const isIndexed = async () => (await readCheckpoint(database, scope))?.number === chain.head;
  await waitUntil("the catch-up has ended", isIndexed);
  const [before, requests] = [await eventsAfter(scope.chainId, 0), countLogRequests()];
  holdLogsAbove(Number.POSITIVE_INFINITY);
  try {
    const isRepaired = async () => (await eventsAfter(scope.chainId, 0)).length > before.length;
    await waitUntil("the missing events are there, while their blocks are not safe", isRepaired, 15_000);
    // 10 s are 50 blocks of the 510; the 611 that are safe are compared as well.
    expect(countLogRequests() - requests).toBeLessThanOrEqual(62 + 6);
  } finally {
    await indexer.stop();
  }
  await expectFresh();
});

test.each([
  [20, "while it runs", 930_010],
  [300, "while it runs", 930_020],
  [20, "across a restart", 930_030],
  [300, "across a restart", 930_040],
])(
  "a reorganisation of %p blocks %s is healed within 10 s, with every event of them retracted once",
  async (depth, when, chainId) => {
    const { mine, chain, start, expectFresh } = quickChain(chainId, chainId);
    mine(6_500);
    const first = start();
    await indexLogs(first, signal);
    // As a follower would, the index is stored every few seconds.
    for (let step = 0; step < 40; step++) {
      mine(10);
      await indexLogs(first, signal);
    }
    const fork = chain.head - depth;
    const orphaned = (await eventsAfter(chainId, 0)).filter(({ event }) => Number(event.block.number) > fork);
    expect(orphaned.length).toBeGreaterThan(0);
    const lastSeq = (await eventsAfter(chainId, 0)).at(-1)?.seq ?? 0;
    chain.rollBack(fork);
    mine(depth + 5, 1);
    const startedAt = performance.now();
    await indexLogs(when === "while it runs" ? first : start(), signal);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    const retracted = (await eventsAfter(chainId, lastSeq)).flatMap(({ event }) =>
      event.type === "event.retracted" ? [event.data.id] : [],
    );
    expect(retracted.toSorted()).toEqual(orphaned.map(({ event }) => event.id).toSorted());
    await expectFresh();
  },
);

test("in 50 random moments, reorganisations included, nothing is called safe or final that the node's tags do not cover", async () => {
  const random = randomFrom(7);
  const below = (limit: number) => Math.floor(random() * limit);
  const { mine, chain, start, scope, beforeEachAnswer, expectFresh } = quickChain(930_050, 7);
  chain.tagsBehind = { safe: 60, finalized: 600 };
  mine(700);
  let context = start();
  let [reorganisations, seq] = [0, 0];
  const claimed = { latest: 0, safe: 0, finalized: 0 };
  function reorganise(): void {
    const depth = 1 + below(120);
    chain.rollBack(chain.head - depth);
    mine(depth + below(3), 1 + reorganisations++);
  }
  for (let moment = 0; moment < 50; moment++) {
    mine(below(250));
    let answersLeft = random() < 0.4 ? 1 + below(12) : 0;
    beforeEachAnswer(() => {
      if (--answersLeft === 0) reorganise();
    });
    if (random() < 0.2) context = start();
    // A pass that met a reorganisation fails, and the next one goes on.
    await indexLogs(context, signal).catch(() => {});
    if (random() < 0.5) await recheckLogs(context).catch(() => {});
    beforeEachAnswer(() => {});
    const tags = { safeNumber: chain.head - 60, finalNumber: chain.head - 600, by: "tag" } as const;
    const checkpoint = await readCheckpoint(database, scope);
    expect(checkpoint?.finality?.finalNumber ?? 0).toBeLessThanOrEqual(tags.finalNumber);
    expect(checkpoint?.finality?.safeNumber ?? 0).toBeLessThanOrEqual(tags.safeNumber);
    expect(checkpoint?.provenNumber ?? 0).toBeLessThanOrEqual(tags.finalNumber);
    const written = await eventsAfter(scope.chainId, seq);
    seq = written.at(-1)?.seq ?? seq;
    for (const { event } of written) {
      const { number, finality, finalized } = event.block;
      claimed[finality]++;
      expect(finalized).toBe(finality === "finalized");
      if (finality === "latest") continue;
      const covered = finalityOf(Number(number), tags);
      expect(finality === "safe" ? ["safe", "finalized"] : ["finalized"]).toContain(covered);
    }
  }
  expect(reorganisations).toBeGreaterThan(5);
  for (const count of Object.values(claimed)) expect(count).toBeGreaterThan(0);
  await indexLogs(start(), signal);
  await recheckLogs(start());
  await expectFresh();
});

import { expect, test } from "bun:test";
import type { Rpc } from "@dueday/chain/client/createChainClient";
import type { FailureKind } from "@dueday/chain/client/rpcOutcome";
import { upstreamError } from "@dueday/chain/client/upstreamError";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startFaultyNode } from "@dueday/worker/test/faultyNode";
import { indexContext } from "@dueday/worker/test/indexFixture";
import { CONTRACT, StubChain } from "@dueday/worker/test/stubChain";
import { StubHistory } from "@dueday/worker/test/stubHistory";
import type { IndexContext } from "./indexContext";
import { indexLogs } from "./indexLogs";

const { database } = await createTestDatabase();
const signal = new AbortController().signal;

/** A node's reads, which fail with `kind` while `refuses` returns true of the calls under way. */
type Limit = { kind: FailureKind; refuses(method: string, underWay: number): boolean };

/** A chain behind a node with a limit that can be changed, and the most headers that were requested together. */
function limitedChain(chainId: number, blocks: number) {
  const chain = new StubChain(chainId);
  chain.tagsBehind = { safe: 1_000, finalized: 1_000 };
  new StubHistory(randomFrom(chainId)).mine(chain, blocks);
  const node = startFaultyNode((method, params) => chain.answer(method, params), {
    random: () => 1,
    faultRate: () => 0,
    widestRange: 10_000,
    stalestBy: 0,
  });
  const sound = indexContext({ database, url: node.url, chainId, contract: CONTRACT });
  const state: { limit: Limit | null; underWay: number; widest: number } = { limit: null, underWay: 0, widest: 0 };
  const rpc: Rpc = async (method, params) => {
    if (state.limit?.refuses(method, state.underWay) === true) throw upstreamError({ kind: state.limit.kind }, method);
    state.underWay++;
    if (method === "eth_getBlockByNumber") state.widest = Math.max(state.widest, state.underWay);
    return sound.chainData.rpc(method, params).finally(() => state.underWay--);
  };
  const context: IndexContext = { ...sound, chainData: { ...sound.chainData, rpc } };
  return { chain, node, context, state };
}

const indexedBlock = async ({ chain }: IndexContext) => (await readCheckpoint(database, chain))?.number;

/** Passes of an indexer until one succeeds, at most as many as narrowing down to one block takes. */
async function runPasses({ context, state }: ReturnType<typeof limitedChain>): Promise<void> {
  for (let pass = 1; ; pass++) {
    // An indexer pauses after a failure: the calls of the failed pass have ended by then.
    await waitUntil("the calls of the pass before to end", () => state.underWay === 0);
    try {
      await indexLogs(context, signal);
      return;
    } catch (error) {
      if (pass === 8) throw error;
    }
  }
}

test.each([
  ["rate_limited", 30, 910_000],
  ["timeout", 7, 910_001],
  ["http_status", 4, 910_002],
] as const)("a node that fails with %s beyond %p calls at a time is indexed up to the head", async (kind, most, id) => {
  const limited = limitedChain(id, 80);
  const { chain, node, context, state } = limited;
  state.limit = { kind, refuses: (_, underWay) => underWay >= most };
  await runPasses(limited);
  expect(await indexedBlock(context)).toBe(chain.head);
  expect(state.widest).toBeGreaterThan(1);
  node.stop();
});

test("terms that can't be read for many subscriptions together are read for fewer blocks", async () => {
  const limited = limitedChain(910_010, 80);
  const { chain, node, context } = limited;
  const { readTerms } = context.chainData;
  let refused = 0;
  context.chainData.readTerms = async (ids, block) => {
    if (ids.length <= 4) return readTerms(ids, block);
    refused++;
    throw upstreamError({ kind: "rate_limited" }, "eth_call");
  };
  await runPasses(limited);
  expect(await indexedBlock(context)).toBe(chain.head);
  expect(refused).toBeGreaterThan(0);
  node.stop();
});

test("after a pass that failed down to one block the next begins with one, and goes on to many", async () => {
  const { chain, node, context, state } = limitedChain(910_020, 300);
  /** Blocks that were stored together, in order. */
  const together: number[] = [];
  const advance = context.progress.advance;
  let stored = 0;
  context.progress.advance = (number, logs) => {
    together.push(number - stored);
    stored = number;
    advance(number, logs);
  };
  state.limit = { kind: "rate_limited", refuses: (method) => method === "eth_getLogs" };
  await expect(indexLogs(context, signal)).rejects.toThrow("accepts no more calls");
  state.limit = null;
  await indexLogs(context, signal);
  expect(await indexedBlock(context)).toBe(chain.head);
  expect(together[0]).toBe(1);
  expect(Math.max(...together)).toBeGreaterThan(100);
  node.stop();
});

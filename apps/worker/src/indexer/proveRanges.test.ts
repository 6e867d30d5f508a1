import { afterAll, expect, test } from "bun:test";
import { readUnprovenRanges, recordUnproven } from "@dueday/db/indexing/unprovenRanges";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { startFaultyNode } from "@dueday/worker/test/faultyNode";
import { indexContext, indexDigest } from "@dueday/worker/test/indexFixture";
import { CONTRACT, StubChain } from "@dueday/worker/test/stubChain";
import { StubHistory } from "@dueday/worker/test/stubHistory";
import { numberToHex } from "viem";
import { indexLogs } from "./indexLogs";
import { proveRanges } from "./proveRanges";

const { database } = await createTestDatabase();
const signal = new AbortController().signal;
const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

const HIDDEN = { from: 20, to: 45 };

/** An index of 60 blocks that lacks the logs of some, which are marked as unproven; the node returns them from now on. */
async function indexWithGap(chainId: number) {
  const chain = new StubChain(chainId);
  chain.blockMs = 200;
  new StubHistory(randomFrom(chainId)).mine(chain, 60);
  let isHiding = true;
  const isHidden = (block: number) => isHiding && block >= HIDDEN.from && block <= HIDDEN.to;
  const requests: unknown[] = [];
  const plan = { random: () => 1, faultRate: () => 0, widestRange: 10, stalestBy: 0 };
  const node = startFaultyNode((method, params) => {
    const answer = chain.answer(method, params);
    if (method !== "eth_getLogs" || !Array.isArray(answer)) return answer;
    requests.push(params[0]);
    return answer.filter(({ blockNumber }) => !isHidden(Number(blockNumber)));
  }, plan);
  const sound = startFaultyNode(
    (method, params) => (method === "eth_chainId" ? numberToHex(chainId + 1) : chain.answer(method, params)),
    plan,
  );
  stops.push(node.stop, sound.stop);
  const context = indexContext({ database, url: node.url, chainId, contract: CONTRACT });
  await indexLogs(context, signal);
  await recordUnproven(database, context.chain, HIDDEN);
  isHiding = false;
  requests.length = 0;
  const whole = indexContext({ database, url: sound.url, chainId: chainId + 1, contract: CONTRACT });
  await indexLogs(whole, signal);
  return { chain, context, requests, digests: () => Promise.all([chainId, chainId + 1].map(digest)) };
}

function digest(chainId: number) {
  return indexDigest(database, chainId);
}

test("unproven blocks are compared with the chain within the node's cap, repaired, and their mark goes", async () => {
  const { context, requests, digests } = await indexWithGap(940_000);
  const [lacking, whole] = await digests();
  expect(lacking).not.toEqual(whole);
  await proveRanges(context);
  const [repaired] = await digests();
  expect(repaired).toEqual(whole);
  expect(await readUnprovenRanges(database, context.chain)).toEqual([]);
  // 26 blocks are three requests.
  expect(requests).toHaveLength(3);
  await proveRanges(context);
  expect(requests).toHaveLength(3);
});

test("where a block of the index was replaced meanwhile the mark stays", async () => {
  const { chain, context } = await indexWithGap(940_010);
  chain.rollBack(30);
  for (let block = 0; block < 40; block++) chain.mine([], 1);
  await proveRanges(context);
  expect(await readUnprovenRanges(database, context.chain)).toEqual([HIDDEN]);
});

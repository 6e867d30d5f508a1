import { afterAll, expect, test } from "bun:test";
import { parseHeader } from "@dueday/chain/block/parseHeader";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { readUnprovenRanges } from "@dueday/db/indexing/unprovenRanges";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startFaultyNode } from "@dueday/worker/test/faultyNode";
import { indexContext } from "@dueday/worker/test/indexFixture";
import { CONTRACT, StubChain, type StubLog } from "@dueday/worker/test/stubChain";
import { numberToHex } from "viem";
import type { ChainUpdate } from "../logs/chainUpdate";
import { fetchRange } from "../logs/fetchLogs";
import { createCoverage } from "./createCoverage";
import { indexLogs } from "./indexLogs";

const { database } = await createTestDatabase();
const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

const SUBSCRIBED: StubLog = { id: 1, provider: 2, subscriber: 3, amount: 10n, code: 0 };

/** An index at block 10 of a chain of 200 ms blocks, and its coverage, which stores blocks without events after `storeEveryMs`. */
async function startCoverage(chainId: number, storeEveryMs = 60_000) {
  const chain = new StubChain(chainId);
  let faultRate = 0;
  chain.blockMs = 200;
  for (let block = 0; block < 10; block++) chain.mine([]);
  const node = startFaultyNode((method, params) => chain.answer(method, params), {
    random: () => 0.3,
    faultRate: () => faultRate,
    widestRange: 10_000,
    stalestBy: 0,
  });
  stops.push(node.stop);
  const context = indexContext({ database, url: node.url, chainId, contract: CONTRACT });
  await indexLogs(context, new AbortController().signal);
  const coverage = createCoverage(context, storeEveryMs);
  await coverage.begin();
  const headerOf = async (number: number) =>
    parseHeader(await context.chainData.rpc("eth_getBlockByNumber", [numberToHex(number), false]));
  /** What a follower reports that has read the blocks after `from` up to the head. */
  async function update(from: number, more: Partial<ChainUpdate> = {}): Promise<ChainUpdate> {
    const [after, head] = await Promise.all([headerOf(from), headerOf(chain.head)]);
    return { after, head, logs: await fetchRange(context, from + 1, chain.head), lateLogs: [], ...more };
  }
  return {
    chain,
    context,
    coverage,
    update,
    headerOf,
    /** Whether the node answers. */
    setSound(isSound: boolean) {
      faultRate = isSound ? 0 : 1;
    },
    stored: async () => (await readCheckpoint(database, context.chain))?.number,
  };
}

test("blocks without events are covered and not stored, until the next event stores all of them", async () => {
  const { chain, coverage, update, stored } = await startCoverage(950_000);
  for (let poll = 0; poll < 5; poll++) {
    for (let block = 0; block < 8; block++) chain.mine([]);
    expect(await coverage.apply(await update(chain.head - 8))).toBe(true);
  }
  expect([coverage.covered()?.head.number, await stored()]).toEqual([50, 10]);
  chain.mine([SUBSCRIBED]);
  expect(await coverage.apply(await update(50))).toBe(true);
  expect([coverage.covered()?.head.number, await stored()]).toEqual([51, 51]);
  expect(await coverage.isCurrent()).toBe(true);
});

test("blocks without events are stored after the time for it", async () => {
  const { chain, coverage, update, stored } = await startCoverage(950_010, 0);
  chain.mine([]);
  expect(await coverage.apply(await update(10))).toBe(true);
  expect(await stored()).toBe(11);
});

test("an update that does not follow what is covered is refused, and one that the index has passed changes nothing", async () => {
  const { chain, coverage, update, stored } = await startCoverage(950_020);
  chain.mine([]);
  chain.mine([]);
  const skipping = await update(11);
  expect(await coverage.apply(skipping)).toBe(false);
  const passed = await update(9, { head: (await update(8)).after ?? skipping.head });
  expect(await coverage.apply(passed)).toBe(true);
  expect([coverage.covered()?.head.number, await stored()]).toEqual([10, 10]);
});

test("blocks whose events were not read are covered with a mark, which is stored before the checkpoint moves over them", async () => {
  const { chain, context, coverage, update, stored } = await startCoverage(950_030);
  for (let block = 0; block < 40; block++) chain.mine([]);
  expect(await coverage.apply(await update(10, { logs: [], unread: { from: 11, to: 50 } }))).toBe(true);
  expect(coverage.covered()).toMatchObject({ head: { number: 50 }, unprovenFrom: 11 });
  expect([coverage.isUnread(), await readUnprovenRanges(database, context.chain)]).toEqual([true, []]);
  chain.mine([SUBSCRIBED]);
  expect(await coverage.apply(await update(50))).toBe(true);
  expect(await readUnprovenRanges(database, context.chain)).toEqual([{ from: 11, to: 50 }]);
  expect([coverage.isUnread(), coverage.covered()?.unprovenFrom, await stored()]).toEqual([false, undefined, 51]);
});

test("covered blocks that were replaced are recorded when the coverage ends, also where the node did not answer at first", async () => {
  const { chain, context, coverage, update, setSound } = await startCoverage(950_050);
  for (let block = 0; block < 5; block++) chain.mine([]);
  expect(await coverage.apply(await update(10))).toBe(true);
  chain.rollBack(12);
  for (let block = 0; block < 5; block++) chain.mine([], 1);
  setSound(false);
  await expect(coverage.end()).rejects.toThrow();
  setSound(true);
  await coverage.end();
  expect(coverage.covered()).toBeNull();
  const [row] = await database.sql<{ range: string[] }[]>`
    select rewound_from || rewound_to as range from index_checkpoints where chain_id = ${context.chain.chainId}`;
  expect(row?.range.map(Number)).toEqual([11, 15]);
});

test("late logs of covered blocks are stored with them", async () => {
  const { chain, context, coverage, update, stored, headerOf } = await startCoverage(950_040);
  chain.mine([SUBSCRIBED]);
  chain.mine([]);
  expect(await coverage.apply(await update(10, { logs: [] }))).toBe(true);
  expect(await stored()).toBe(10);
  const head = await headerOf(12);
  const lateLogs = await fetchRange(context, 11, 11);
  expect(await coverage.apply({ after: head, head, logs: [], lateLogs })).toBe(true);
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from sub_logs where chain_id = 950040 and block_number = 11`;
  expect([row?.count, await stored()]).toEqual([1, 12]);
});

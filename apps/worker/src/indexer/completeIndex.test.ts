import { afterAll, expect, test } from "bun:test";
import { readMoney } from "@dueday/db/history/readMoney";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startFaultyNode } from "@dueday/worker/test/faultyNode";
import { indexContext, indexDigest } from "@dueday/worker/test/indexFixture";
import { CONTRACT, StubChain } from "@dueday/worker/test/stubChain";
import { numberToHex } from "viem";
import { completeIndex } from "./completeIndex";
import type { IndexContext } from "./indexContext";
import { indexLogs } from "./indexLogs";

const { database } = await createTestDatabase();
const { signal } = new AbortController();
const CHAIN_ID = 7;
const UNSUBSCRIBED = 7;
const SUBSCRIBER = numberToHex(20, { size: 20 });

const stub = new StubChain(CHAIN_ID);
let hasReceipts = true;
const node = startFaultyNode(
  (method, params) => (method === "eth_getTransactionReceipt" && !hasReceipts ? null : stub.answer(method, params)),
  { random: () => 1, faultRate: () => 0, widestRange: 10_000, stalestBy: 0 },
);
afterAll(() => node.stop());

/** An index that an earlier release made: it has the logs, but neither the receipts nor the tables derived from them. */
async function indexOfEarlierRelease(): Promise<{ context: IndexContext; complete: object }> {
  const log = { id: 1, provider: 10, subscriber: 20, amount: 5n * 10n ** 18n };
  const [create, subscribed, feeFill, subscriberPaid] = [0, 6, 8, 5];
  stub.mine([{ ...log, subscriber: 0, code: create }]);
  stub.mine([
    { ...log, code: subscribed },
    { ...log, code: feeFill },
  ]);
  stub.mine([{ ...log, code: subscriberPaid }]);
  stub.mine([{ ...log, code: UNSUBSCRIBED }]);
  const fixture = { database, url: node.url, chainId: CHAIN_ID, contract: CONTRACT };
  const context = indexContext(fixture);
  await indexLogs(context, signal);
  const complete = await indexDigest(database, CHAIN_ID);
  for (const table of ["receipts", "keeper_fees", "removal_refunds", "daily_money", "remits"]) {
    await database.sql`delete from ${database.sql(table)} where chain_id = ${CHAIN_ID}`;
  }
  await database.sql`update index_checkpoints set derived_version = 1 where chain_id = ${CHAIN_ID}`;
  return { context, complete };
}

async function spending(context: IndexContext) {
  const query = {
    account: SUBSCRIBER,
    role: "subscriber",
    periods: (today: number) => [{ start: 0, end: today }],
  } as const;
  const answer = await readMoney(database, context.chain, query);
  return typeof answer === "string" ? answer : answer.value?.sums.map(({ charges }) => charges);
}

test("an index of an earlier release shows no money until its receipts are read; then it equals a new one", async () => {
  const { context, complete } = await indexOfEarlierRelease();
  expect(await spending(context)).toBe("not_indexed");

  hasReceipts = false;
  expect(await completeIndex(context, signal)).toBe(false);
  expect(await spending(context)).toBe("not_indexed");
  // What it lacks does not keep it from going on.
  stub.mine([]);
  await indexLogs(context, signal);

  hasReceipts = true;
  expect(await completeIndex(context, signal)).toBe(true);
  expect(await spending(context)).toEqual([2]);
  const { checkpoint: _, ...tables } = await indexDigest(database, CHAIN_ID);
  expect(complete).toMatchObject(tables);
  expect(await completeIndex(context, signal)).toBe(true);
});

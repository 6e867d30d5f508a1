import { expect, test } from "bun:test";
import type { Rpc } from "@dueday/chain/client/createChainClient";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startFaultyNode } from "@dueday/worker/test/faultyNode";
import { indexContext } from "@dueday/worker/test/indexFixture";
import { CONTRACT, StubChain } from "@dueday/worker/test/stubChain";
import { StubHistory } from "@dueday/worker/test/stubHistory";
import { indexLogs } from "./indexLogs";
import { runIndexer } from "./runIndexer";

const { database } = await createTestDatabase();
const FINALITY = 10;

test("a backfill reads receipts as it reads logs, so that they are sent after the calls of new blocks and of scans", async () => {
  const chainId = 920_000;
  const chain = new StubChain(chainId);
  new StubHistory(randomFrom(chainId)).mine(chain, 60);
  chain.tagsBehind = { safe: FINALITY, finalized: FINALITY };
  // What is not final is read by other requests.
  for (let block = 0; block < FINALITY; block++) chain.mine([]);
  const node = startFaultyNode((method, params) => chain.answer(method, params), {
    random: () => 1,
    faultRate: () => 0,
    widestRange: 10_000,
    stalestBy: 0,
  });
  const sound = indexContext({ database, url: node.url, chainId, contract: CONTRACT });
  const counting = (methods: string[]): Rpc => {
    return (method, params) => {
      methods.push(method);
      return sound.chainData.rpc(method, params);
    };
  };
  const [usual, archive]: [string[], string[]] = [[], []];
  const chainData = { ...sound.chainData, rpc: counting(usual), archiveRpc: counting(archive) };
  await indexLogs({ ...sound, chainData }, new AbortController().signal);
  expect((await readCheckpoint(database, sound.chain))?.number).toBe(chain.head);
  expect(archive).toContain("eth_getTransactionReceipt");
  expect(usual).not.toContain("eth_getTransactionReceipt");
  node.stop();
});

test("the planner has statistics of the index soon after a backfill", async () => {
  const { database: empty } = await createTestDatabase();
  // It would analyze the table too, a minute later.
  await empty.sql`alter table sub_logs set (autovacuum_enabled = false)`;
  const chainId = 920_001;
  const chain = new StubChain(chainId);
  chain.tagsBehind = { safe: 0, finalized: 0 };
  new StubHistory(randomFrom(chainId)).mine(chain, 60);
  const node = startFaultyNode((method, params) => chain.answer(method, params), {
    random: () => 1,
    faultRate: () => 0,
    widestRange: 10_000,
    stalestBy: 0,
  });
  const indexer = runIndexer(indexContext({ database: empty, url: node.url, chainId, contract: CONTRACT }));
  await waitUntil("statistics of the logs", async () => {
    const found = await empty.sql`select from pg_stats where tablename = 'sub_logs' and attname = 'provider'`;
    return found.length > 0;
  });
  await indexer.stop();
  node.stop();
});

import { afterAll, expect, test } from "bun:test";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseBlock } from "@dueday/chain/block/parseBlock";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { migrateDatabase } from "@dueday/db/migrateDatabase";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startFaultyNode } from "@dueday/worker/test/faultyNode";
import { indexContext } from "@dueday/worker/test/indexFixture";
import { CONTRACT, StubChain } from "@dueday/worker/test/stubChain";
import { numberToHex } from "viem";
import { indexLogs } from "./indexLogs";
import { recheckLogs } from "./recheckLogs";

const CHAIN_ID = 940_000;
const MIGRATIONS = join(import.meta.dir, "../../../../packages/db/migrations");
const { database: server, url: serverUrl } = await createTestDatabase();
const folder = await mkdtemp(join(tmpdir(), "dueday-upgrade-"));
const cleanUps: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** A database with the tables of the release before finality came from the node's tags. */
async function earlierDatabase() {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await server.sql.unsafe(`create database ${name} template template0`);
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  await cp(MIGRATIONS, folder, { recursive: true });
  const path = join(folder, "meta", "_journal.json");
  const journal: { entries: { tag: string }[] } = await Bun.file(path).json();
  const first = journal.entries.findIndex(({ tag }) => tag.endsWith("_finality"));
  await Bun.write(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, first) }));
  await migrateDatabase(url, folder);
  const database = connectDatabase({ url });
  cleanUps.push(() => database.close());
  return { url, database };
}

test("an index of the release before keeps its data, and after the upgrade nothing is final that the node's tag does not cover", async () => {
  const { url, database } = await earlierDatabase();
  const { sql } = database;
  const chain = new StubChain(CHAIN_ID);
  chain.blockMs = 200;
  chain.tagsBehind = { safe: 600, finalized: 6_000 };
  for (let block = 0; block < 8_000; block++) chain.mine([]);
  const blockAt = (number: number) => {
    const block = parseBlock(chain.answer("eth_getBlockByNumber", [numberToHex(number), false]));
    return { hash: Buffer.from(block.hash.slice(2), "hex"), timestamp: Number(block.timestamp), text: block.hash };
  };
  // By its depth of 600 blocks, which the tag does not cover.
  const head = blockAt(8_000);
  await sql`insert into index_checkpoints (chain_id, contract, number, hash, timestamp, head_number, confirmed_at,
    proven_number, derived_version) values (${CHAIN_ID}, ${CONTRACT}, 8000, ${head.hash}, ${head.timestamp}, 8000, now(),
    7400, 2)`;
  for (let number = 0; number <= 8_000; number += number < 7_500 ? 500 : 1) {
    const { hash, timestamp } = blockAt(number);
    await sql`insert into indexed_blocks values (${CHAIN_ID}, ${CONTRACT}, ${number}, ${hash}, ${timestamp})`;
  }
  const events = [
    { seq: 1, number: 1_000, finalized: true, writtenAt: "2026-01-01" },
    { seq: 2, number: 7_000, finalized: true, writtenAt: new Date().toISOString() },
    { seq: 3, number: 7_900, finalized: false, writtenAt: new Date().toISOString() },
  ];
  for (const { seq, number, finalized, writtenAt } of events) {
    const { hash, text, timestamp } = blockAt(number);
    const body = {
      id: `evt_${seq}`,
      seq,
      block: { number: String(number), hash: text, timestamp, finalized },
      data: {},
    };
    await sql`insert into outbox values (${CHAIN_ID}, ${CONTRACT}, ${seq}, ${body.id}, 'provider.updated', 'provider.updated',
      null, null, null, ${number}, ${hash}, false, false, ${writtenAt}, ${JSON.stringify(body)})`;
  }

  await migrateDatabase(url);

  const bodies = await sql<{ body: string }[]>`select body from outbox order by seq`;
  expect(bodies.map(({ body }) => JSON.parse(body).block)).toMatchObject([
    { number: "1000", finality: "finalized", finalized: true },
    { number: "7000", finality: "latest", finalized: false },
    { number: "7900", finality: "latest", finalized: false },
  ]);
  const scope = { chainId: CHAIN_ID, contract: CONTRACT };
  expect(await readCheckpoint(database, scope)).toMatchObject({ number: 8_000, finality: null });

  // The hashes that were kept recognise a reorganisation.
  chain.rollBack(7_990);
  for (let block = 0; block < 50; block++) chain.mine([], 1);
  const node = startFaultyNode((method, params) => chain.answer(method, params), {
    random: () => 1,
    faultRate: () => 0,
    widestRange: 10_000,
    stalestBy: 0,
  });
  cleanUps.push(node.stop);
  const context = indexContext({ database, url: node.url, chainId: CHAIN_ID, contract: CONTRACT });
  await indexLogs(context, new AbortController().signal);
  await recheckLogs(context);
  expect(await readCheckpoint(database, scope)).toMatchObject({
    number: chain.head,
    provenNumber: chain.head - 6_000,
    rewinds: 1,
    finality: { finalNumber: chain.head - 6_000, safeNumber: chain.head - 600, by: "tag" },
  });
});

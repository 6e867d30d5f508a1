import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { testDepth } from "@dueday/test-support/testDepth";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startFaultyNode } from "@dueday/worker/test/faultyNode";
import { indexContext, indexDigest } from "@dueday/worker/test/indexFixture";
import { CONTRACT, StubChain } from "@dueday/worker/test/stubChain";
import { StubHistory } from "@dueday/worker/test/stubHistory";
import { indexLogs } from "./indexLogs";

const { database, url } = await createTestDatabase();

/** 200 in `bun run test:deep`. */
const KILLS = testDepth === 1 ? 6 : 20 * testDepth;
const FINALITY = 64;
const SEED = Number(process.env.INDEX_SEED ?? 1);
/** Starting a process beside other tests. */
const START_TIMEOUT_MS = 120_000;
const PROGRAM = join(import.meta.dir, "../../test/indexerProcess.ts");
const sound = { random: () => 1, faultRate: () => 0, widestRange: 500, stalestBy: 0 };
const killedAt: number[] = [];

afterAll(() =>
  console.log(`indexer killed ${killedAt.length} times from seed ${SEED}, at blocks ${killedAt.join(" ")}`),
);

test(
  `an indexer killed at any point, ${KILLS} times, leaves a state that the next one continues from, and no trace in the end`,
  async () => {
    const [chainId, freshId] = [1, 2];
    const random = randomFrom(SEED);
    const history = new StubHistory(random);
    const chain = new StubChain(chainId);
    history.mine(chain, 100);
    const node = startFaultyNode((method, params) => chain.answer(method, params), sound);
    const fixture = { database, url: node.url, chainId, contract: CONTRACT };
    const context = indexContext(fixture);
    for (let kill = 0; kill < KILLS; kill++) {
      const indexer = Bun.spawn(["bun", PROGRAM, url, node.url, String(chainId)], {
        stdio: ["ignore", "ignore", "ignore"],
      });
      const until = node.requests() + 1 + history.below(12);
      await waitUntil("the indexer's requests", () => node.requests() >= until, START_TIMEOUT_MS);
      // Into the middle of a transaction, now and then.
      await Bun.sleep(history.below(12));
      indexer.kill("SIGKILL");
      await indexer.exited;
      killedAt.push((await readCheckpoint(database, context.chain))?.number ?? 0);
      if (kill % 5 === 4) chain.rollBack(chain.head - 1 - history.below(FINALITY - 1));
      history.mine(chain, history.below(40));
    }
    await indexLogs(context, new AbortController().signal);
    const fresh = startFaultyNode(
      (method, params) => (method === "eth_chainId" ? `0x${freshId.toString(16)}` : chain.answer(method, params)),
      sound,
    );
    await indexLogs(indexContext({ ...fixture, url: fresh.url, chainId: freshId }), new AbortController().signal);
    expect(await indexDigest(database, chainId)).toEqual(await indexDigest(database, freshId));
    node.stop();
    fresh.stop();
  },
  { timeout: 300_000 * testDepth },
);

test(
  "an indexer killed while it applies one batch and has copied the logs of the next leaves neither",
  async () => {
    const [chainId, freshId] = [3, 4];
    const chain = new StubChain(chainId);
    new StubHistory(randomFrom(SEED)).mine(chain, 400);
    const narrow = { ...sound, widestRange: 50 };
    const node = startFaultyNode((method, params) => chain.answer(method, params), narrow);
    const fixture = { database, url: node.url, chainId, contract: CONTRACT };
    const context = indexContext(fixture);
    const stored = () => database.sql`select from sub_logs where chain_id = ${chainId}`;
    // A reader of the table does not wait for this lock, but the batch that is applied does.
    const held = await database.sql.reserve();
    await held`begin`;
    await held`lock table subscriptions in exclusive mode`;
    const indexer = Bun.spawn(["bun", PROGRAM, url, node.url, String(chainId)], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    const sessions = (state: string, query: string) => database.sql`select from pg_stat_activity
      where datname = current_database() and state = ${state} and query like ${query}`;
    await waitUntil(
      "one batch that is applied and one that is copied",
      async () =>
        (await sessions("active", "%insert into subscriptions%")).length === 1 &&
        (await sessions("idle in transaction", 'copy "%')).length === 1,
      START_TIMEOUT_MS,
    );
    indexer.kill("SIGKILL");
    await indexer.exited;
    await held`rollback`;
    held.release();
    await waitUntil(
      "the end of its transactions",
      async () => (await sessions("active", "%insert into subscriptions%")).length === 0,
    );
    expect(await stored()).toHaveLength(0);
    await indexLogs(context, new AbortController().signal);
    expect((await stored()).length).toBeGreaterThan(0);
    const fresh = startFaultyNode(
      (method, params) => (method === "eth_chainId" ? `0x${freshId.toString(16)}` : chain.answer(method, params)),
      sound,
    );
    await indexLogs(indexContext({ ...fixture, url: fresh.url, chainId: freshId }), new AbortController().signal);
    expect(await indexDigest(database, chainId)).toEqual(await indexDigest(database, freshId));
    node.stop();
    fresh.stop();
  },
  { timeout: START_TIMEOUT_MS * 2 },
);

import { afterAll, expect, test } from "bun:test";
import { openEvents } from "@dueday/api/test/openEvents";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import type { DomainEvent } from "@dueday/core/domainEvents/domainEvent";
import { toDomainEvents } from "@dueday/core/domainEvents/toDomainEvents";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { connectDatabase, type Database } from "@dueday/db/connectDatabase";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { createTestDatabase, type TestDatabase } from "@dueday/test-support/createTestDatabase";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { testDepth } from "@dueday/test-support/testDepth";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { IndexContext } from "@dueday/worker/indexer/indexContext";
import { indexLogs } from "@dueday/worker/indexer/indexLogs";
import { readEventFacts } from "@dueday/worker/indexer/readEventFacts";
import { fetchRange } from "@dueday/worker/logs/fetchLogs";
import { startFaultyNode } from "@dueday/worker/test/faultyNode";
import { indexContext } from "@dueday/worker/test/indexFixture";
import { CONTRACT, StubChain, TOKEN } from "@dueday/worker/test/stubChain";
import { StubHistory } from "@dueday/worker/test/stubHistory";
import { getAddress, type Hex } from "viem";

/** 200 in `bun run test:deep`. */
const SEEDS = testDepth === 1 ? 3 : 20 * testDepth;
const FIRST_SEED = Number(process.env.EVENTS_SEED ?? 1);
const LANES = 3;
const ROUNDS = 8;
const DEPTHS = [1, 3, 64];
/** Of the reorganisation after everything was stored: without it, a slow machine may have nothing to retract. */
const LAST_DEPTH = 30;
const READERS = 3;
const databases = await Promise.all(Array.from({ length: LANES }, () => createTestDatabase()));
const tally = {
  events: 0,
  retractions: 0,
  reorganisations: 0,
  kills: 0,
  failures: 0,
  apiRestarts: 0,
  streams: 0,
  pages: 0,
};

afterAll(() => console.log(`readers of ${SEEDS} outboxes from seed ${FIRST_SEED}`, tally));

type Random = () => number;

const below = (random: Random, limit: number) => Math.floor(random() * limit);

/** The API of a seed, which is restarted now and then. */
type ApiBox = { current: TestApi };

/**
 * Reads the events to the end through a stream or pages, in pieces of random length, each resumed from the last seq that it has.
 *
 * @param isDone whether all has been written, and the last seq then
 */
async function read(api: ApiBox, random: Random, isDone: () => number | null): Promise<DomainEvent[]> {
  const events: DomainEvent[] = [];
  const after = () => events.at(-1)?.seq ?? 0;
  while (isDone() === null || after() < (isDone() ?? 0)) {
    if (random() < 0.3) {
      tally.pages++;
      const response = await fetch(`${api.current.url}/events?after=${after()}&first=${1 + below(random, 200)}`).catch(
        () => null,
      );
      const page: { events?: DomainEvent[] } = (await response?.json().catch(() => null)) ?? {};
      events.push(...(page.events ?? []));
      continue;
    }
    tally.streams++;
    const position = after();
    // The header wins over the parameter.
    const headers = { "Last-Event-ID": String(position) };
    const reader = await openEvents(api.current, "after=0", headers).catch(() => null);
    if (reader === null) continue;
    const wanted = 1 + below(random, 150);
    let hasEnded = false;
    void reader.ended.then(() => {
      hasEnded = true;
    });
    await waitUntil("events, or the end of the stream", () => {
      const last = Number(reader.events.at(-1)?.id ?? position);
      return hasEnded || reader.events.length >= wanted || last >= (isDone() ?? Number.POSITIVE_INFINITY);
    });
    reader.close();
    // `openEvents` read them from the service.
    events.push(...reader.events.map(({ data }) => data as DomainEvent));
  }
  return events;
}

/**
 * Ends the connections that are in the middle of a transaction, as the death of their process would.
 *
 * @param killer a connection that nothing else uses: where it shared its pool, its own statement would be cut with those of others
 */
async function killTransactions({ sql }: Database): Promise<void> {
  const killed = await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null and state <> 'idle'
      and query not ilike 'listen%'`;
  tally.kills += killed.length;
}

/** The events that the final chain has, made of its logs at once. */
async function eventsOfChain(context: IndexContext, chain: StubChain): Promise<unknown[]> {
  const logs = await fetchRange(context, 0, chain.head);
  const stateBlock = { number: 0n, hash: "0x", timestamp: 0n, baseFeePerGas: 0n, gasLimit: 0n } as const;
  const facts = await readEventFacts(context, { logs, stateBlock, finality: null });
  const created = logs.flatMap(({ event }) => (event.event === "SubLog" && event.code === 0 ? [event.id] : []));
  const terms = created.map((id) => {
    const number = Number.parseInt(id.slice(-6), 16);
    return [id, { frequency: number % 4, dueDay: 1 + (number % 7) }] as const;
  });
  const tokens = new Map<Hex, TokenInfo>();
  const token = { address: getAddress(TOKEN), symbol: "0x8335…2913", decimals: 6 };
  tokens.set(toLowerCase(TOKEN), token);
  const events = toDomainEvents({
    ...facts,
    chainId: TEST_CHAIN_ID,
    contract: toLowerCase(CONTRACT),
    logs,
    subscriptions: new Map(),
    terms: new Map(terms),
    tokens,
  });
  return events.map(comparable);
}

/** An event without what depends on when it was written. */
function comparable({ block, seq: _, ...event }: Omit<DomainEvent, "seq"> & { seq?: number }) {
  return { ...event, block: { number: block.number, hash: block.hash, timestamp: block.timestamp } };
}

/** What a reader that obeys retractions has in the end. Throws where a retraction is not of an event that it holds. */
function settle(events: readonly DomainEvent[]): DomainEvent[] {
  const held = new Map<string, DomainEvent>();
  for (const event of events) {
    if (event.type !== "event.retracted") {
      if (held.has(event.id)) throw new Error(`${event.type} ${event.seq} came twice`);
      held.set(event.id, event);
    } else {
      tally.retractions++;
      if (!held.delete(event.data.id)) throw new Error(`${event.seq} retracts an event that is not there`);
    }
  }
  return [...held.values()];
}

async function runSeed({ database, url }: TestDatabase, seed: number): Promise<void> {
  const random = randomFrom(seed);
  const chain = new StubChain(TEST_CHAIN_ID);
  const history = new StubHistory(random);
  history.mine(chain, 120 + below(random, 120));
  const node = startFaultyNode((method, params) => chain.answer(method, params), {
    random,
    faultRate: () => (isQuiet ? 0 : 0.04),
    widestRange: 500,
    stalestBy: 5,
  });
  let isQuiet = false;
  await database.sql`truncate ${database.sql(await tablesOf(database))}`;
  const survivor = connectDatabase({ url, poolSize: 2, deadlineMs: 5_000 });
  const killer = connectDatabase({ url, poolSize: 1 });
  const workers = [survivor, connectDatabase({ url, poolSize: 2, deadlineMs: 5_000 })];
  const fixture = { url: node.url, chainId: TEST_CHAIN_ID, contract: CONTRACT };
  const contexts = workers.map((each) => indexContext({ ...fixture, database: each, requestTimeoutMs: 300 }));
  const signal = new AbortController().signal;
  let failure: unknown = null;
  const pass = (context: IndexContext) =>
    indexLogs(context, signal).catch((error: unknown) => {
      failure = error;
      tally.failures++;
    });
  // Every third without Redis: the limits are then counted in the process.
  const env = seed % 3 === 0 ? { REDIS_URL: "redis://127.0.0.1:1" } : {};
  /** As its supervisor would: a connection that was killed can end a start. */
  const start = async (): Promise<TestApi> => {
    const starting = startTestApi({ database: { url, database }, rpcUrl: node.url, contract: CONTRACT, env });
    return starting.catch(() => start());
  };
  const api: ApiBox = { current: await start() };
  let lastSeq: number | null = null;
  const readers = Promise.all(
    Array.from({ length: READERS }, (_, index) => read(api, randomFrom(seed * 100 + index), () => lastSeq)),
  );
  const restarted = below(random, ROUNDS);
  for (let round = 0; round < ROUNDS; round++) {
    const passes = contexts.map(pass);
    if (random() < 0.7) {
      await Bun.sleep(below(random, 25));
      await killTransactions(killer);
    }
    if (random() < 0.5) {
      const depth = DEPTHS[below(random, DEPTHS.length)] ?? 1;
      chain.rollBack(chain.head - depth);
      history.mine(chain, depth);
      tally.reorganisations++;
    }
    history.mine(chain, below(random, 40));
    if (round === restarted) {
      const before = api.current;
      api.current = await start();
      await before.stop();
      tally.apiRestarts++;
    }
    await Promise.all(passes);
  }
  isQuiet = true;
  // With the pool that lost connections.
  const patient = indexContext({ ...fixture, database: survivor, requestTimeoutMs: 60_000 });
  const reachHead = () =>
    waitUntil("the index to reach the head", async () => {
      await pass(patient);
      return (await readCheckpoint(database, { chainId: TEST_CHAIN_ID, contract: CONTRACT }))?.number === chain.head;
    }).catch((error: unknown) => {
      throw new Error(`${error}; its last failure: ${failure}`, { cause: failure });
    });
  await reachHead();
  chain.rollBack(chain.head - LAST_DEPTH);
  history.mine(chain, LAST_DEPTH + 1);
  await reachHead();
  const [row] = await database.sql<{ last: number }[]>`select last_seq::float8 as last from outbox_counters`;
  lastSeq = row?.last ?? 0;
  const received = await readers;
  const expected = await eventsOfChain(patient, chain);
  for (const events of received) {
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
    expect(settle(events).map(comparable)).toEqual(expected as never); // parsed JSON on one side
  }
  tally.events += lastSeq;
  await api.current.stop();
  await Promise.all([...workers, killer].map((each) => each.close()));
  node.stop();
}

async function tablesOf({ sql }: Database): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`;
  return rows.map(({ name }) => name);
}

test(
  "whatever ends, restarts or is reorganised meanwhile, every reader has the events of the chain, once, in order and with their retractions",
  async () => {
    let next = FIRST_SEED;
    await Promise.all(
      databases.map(async (database) => {
        while (next < FIRST_SEED + SEEDS) {
          const seed = next++;
          await runSeed(database, seed).catch((cause) => {
            throw new Error(`EVENTS_SEED=${seed} fails`, { cause });
          });
        }
      }),
    );
    expect(tally.retractions).toBeGreaterThan(0);
  },
  { timeout: 180_000 * testDepth },
);

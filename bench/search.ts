import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { migrateDatabase } from "@dueday/db/migrateDatabase";
import { readAccountEvents, readSubscriptionEvents } from "@dueday/db/queries/readEvents";
import { searchSubscriptions } from "@dueday/db/queries/searchSubscriptions";
import { fillIndex, syntheticAccount, syntheticId } from "@dueday/db/test/syntheticIndex";

/** How long search and history take on a large index, at the deepest page: `bun bench/search.ts [events]`. */
const LOGS = Number(process.argv[2] ?? 1_000_000);
const SIZE = { logs: LOGS, subscriptions: LOGS / 50, providers: 200, subscribers: 5_000 };
const ROUNDS = 300;
const DEEPEST = { first: 200, skip: 5_000, atBlock: null };
const DEEPEST_SEARCH = { first: 25, skip: 5_000, atBlock: null };

const dataDir = await mkdtemp(join(tmpdir(), "dueday-bench-"));
const server = await startEmbeddedPostgres({ dataDir, temporary: true });
await migrateDatabase(server.url);
const database = connectDatabase({ url: server.url, deadlineMs: 300_000 });
const scope = { chainId: 8453, contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f" };

const started = performance.now();
await fillIndex(database, scope, SIZE);
console.log(`${LOGS} sub_logs, ${SIZE.subscriptions} subscriptions, stored in ${seconds(started)} s`);

const questions: [string, (round: number) => Promise<unknown>][] = [
  ["history, busiest subscription", () => readSubscriptionEvents(database, scope, syntheticId(0), DEEPEST)],
  [
    "history, first page",
    (round) => readSubscriptionEvents(database, scope, syntheticId(round), { ...DEEPEST, skip: 0 }),
  ],
  [
    "activity, busiest providers",
    (round) => readAccountEvents(database, scope, syntheticAccount("provider", round % 3), DEEPEST),
  ],
  [
    "activity, subscribers",
    (round) => readAccountEvents(database, scope, syntheticAccount("subscriber", round), { ...DEEPEST, skip: 0 }),
  ],
  ["search, all", () => searchSubscriptions(database, scope, { cancelled: false }, DEEPEST_SEARCH)],
  [
    "search, by frequency",
    (round) => searchSubscriptions(database, scope, { cancelled: false, frequency: round % 4 }, DEEPEST_SEARCH),
  ],
  [
    "search, by provider",
    (round) =>
      searchSubscriptions(
        database,
        scope,
        { cancelled: false, provider: syntheticAccount("provider", round % SIZE.providers) },
        { ...DEEPEST_SEARCH, skip: 0 },
      ),
  ],
];
for (const [name, ask] of questions) {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await ask(round);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2).padStart(7);
  console.log(`${name.padEnd(32)} median ${at(0.5)} ms   p99 ${at(0.99)} ms`);
}

await database.close();
await server.stop();
await rm(dataDir, { recursive: true, force: true });

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

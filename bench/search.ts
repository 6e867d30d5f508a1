import { connectDatabase } from "@dueday/db/connectDatabase";
import { readAccountEvents, readSubscriptionEvents } from "@dueday/db/history/readEvents";
import { searchSubscriptions } from "@dueday/db/history/searchSubscriptions";
import { fillIndex, syntheticAccount, syntheticId } from "@dueday/db/test/syntheticIndex";
import { startBenchDatabase } from "./support/benchDatabase";
import { quantile } from "./support/quantile";
import { timeRounds } from "./support/timeRounds";

/**
 * How long search and history take on a large index, at the deepest page or the first, and how many times as long as `select 1` in the same
 * run: `bun bench/search.ts [events]`.
 */
const LOGS = Number(process.argv[2] ?? 1_000_000);
const SIZE = { logs: LOGS, subscriptions: LOGS / 50, providers: 200, subscribers: 5_000 };
const ROUNDS = 300;
const DEEPEST = { first: 200, skip: 5_000, atBlock: null };
const DEEPEST_SEARCH = { first: 25, skip: 5_000, atBlock: null };

const server = await startBenchDatabase();
const database = connectDatabase({ url: server.url, deadlineMs: 300_000 });
const scope = { chainId: 8453, contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f" };

const started = performance.now();
await fillIndex(database, scope, SIZE);
console.log(`${LOGS} sub_logs, ${SIZE.subscriptions} subscriptions, stored in ${seconds(started)} s`);

const queries: [string, (round: number) => Promise<unknown>][] = [
  ["select 1", () => database.sql`select 1`],
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
let bareMs = Number.NaN;
for (const [name, run] of queries) {
  const times = await timeRounds(ROUNDS, run);
  const at = (share: number) => quantile(times, share);
  const print = (milliseconds: number) => milliseconds.toFixed(2).padStart(7);
  if (Number.isNaN(bareMs)) bareMs = at(0.5);
  const ratio = (at(0.5) / bareMs).toFixed(1).padStart(6);
  console.log(`${name.padEnd(32)} median ${print(at(0.5))} ms (ratio ${ratio})   p99 ${print(at(0.99))} ms`);
}

await database.close();
await server.stop();

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

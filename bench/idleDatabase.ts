import { startApi } from "@dueday/api/startApi";
import { deployMulticall } from "@dueday/chain/test/deployMulticall";
import { createLogger } from "@dueday/config/createLogger";
import { connectDatabase, type Database } from "@dueday/db/connectDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { startWorker } from "@dueday/worker/startWorker";
import { benchConfig } from "./support/benchConfig";
import { startBenchDatabase } from "./support/benchDatabase";
import { settleBacklog } from "./support/settleBacklog";

/**
 * What an idle chain writes: `bun bench/idleDatabase.ts [seconds]`. A block each 200 ms without events, nothing due, a worker with webhooks and
 * an API. Prints the write-ahead log in bytes a second and GB a month, and for each table its rows written a minute and its growth.
 */
const SECONDS = Number(process.argv[2] ?? 600);
const WARM_UP_MS = Number(process.env.IDLE_WARM_UP_MS ?? 90_000);
const MONTH_SECONDS = 30 * 86_400;

type Table = { name: string; inserted: number; updated: number; deleted: number; bytes: number };

async function readTables(database: Database): Promise<Map<string, Table>> {
  // A session reports its statistics once it has been idle for a second.
  const tables = await database.sql<Table[]>`
    select relname as name, n_tup_ins::float8 as inserted, n_tup_upd::float8 as updated, n_tup_del::float8 as deleted,
      pg_total_relation_size(relid)::float8 as bytes
    from pg_stat_user_tables order by relname`;
  return new Map(tables.map((table) => [table.name, table]));
}

/** Bytes of the write-ahead log, and the number of full page images in it: the first write to a page after a checkpoint of the server adds one. */
async function readWal(database: Database): Promise<{ bytes: number; images: number }> {
  const [row] = await database.sql<{ bytes: number; images: number }[]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes,
      (select wal_fpi::float8 from pg_stat_wal) as images`;
  return row ?? { bytes: 0, images: 0 };
}

const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000), blockTimeMs: 200 });
await deployMulticall(devnet);
await settleBacklog(devnet);
const finality = { safeMs: 30_000, finalizedMs: 60_000 };
const proxy = startNodeProxy(devnet.url, { saturatedBlooms: true, timestampMs: true, finality });
const server = await startBenchDatabase();
const database = connectDatabase({ url: server.url });
const chain = { chainId: DEVNET_CHAIN_ID, rpcUrl: proxy.url, contract: devnet.contract };
const config = benchConfig(chain, { SECRETS_KEY: "07".repeat(32), LOG_LEVEL: "error" });
const logger = createLogger(config);
const worker = startWorker(config, {
  database,
  databaseUrl: server.url,
  logger,
  clock: Date.now,
  onFatal: console.error,
});
const api = await startApi(config, { logger, database, databaseUrl: server.url });
await Bun.sleep(WARM_UP_MS);
const [before, walBefore] = [await readTables(database), await readWal(database)];
await Bun.sleep(SECONDS * 1_000);
const [after, walAfter] = [await readTables(database), await readWal(database)];
const perSecond = (walAfter.bytes - walBefore.bytes) / SECONDS;
console.log(
  `write-ahead log: ${perSecond.toFixed(0)} bytes/s, ${((perSecond * MONTH_SECONDS) / 1e9).toFixed(2)} GB a month; ${walAfter.images - walBefore.images} images of pages`,
);
for (const [name, table] of after) {
  const was = before.get(name);
  if (was === undefined) continue;
  const counts = (["inserted", "updated", "deleted"] as const).map((key) => table[key] - was[key]);
  if (counts.every((count) => count === 0) && table.bytes === was.bytes) continue;
  const [inserted, updated, deleted] = counts.map((count) => ((count * 60) / SECONDS).toFixed(2));
  console.log(
    `  ${name.padEnd(24)}${inserted} inserted, ${updated} updated, ${deleted} deleted a minute; ${table.bytes - was.bytes} bytes larger`,
  );
}
await Promise.all([worker.stop(), api.stop()]);
await database.close();
await server.stop();
await proxy.stop();
await devnet.stop();
process.exit(0);

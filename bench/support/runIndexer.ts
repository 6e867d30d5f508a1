import { join } from "node:path";
import type { Database } from "@dueday/db/connectDatabase";
import type { Address } from "viem";

export type IndexerRun = {
  database: Database;
  databaseUrl: string;
  url: string;
  chainId: number;
  contract: Address;
  /** How many events the index has to hold at the end. */
  events: number;
};

export type IndexerFigures = { seconds: number; cpuSeconds: number; peakMegabytes: number };

/** Runs the indexer in a separate process, once up to the head. */
export async function runIndexer(run: IndexerRun): Promise<IndexerFigures> {
  const { database, databaseUrl, url, chainId, contract, events } = run;
  const program = join(import.meta.dir, "../backfillIndexer.ts");
  const child = Bun.spawn([process.execPath, program, databaseUrl, url, String(chainId), contract], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed: IndexerFigures = JSON.parse(await new Response(child.stdout).text());
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from sub_logs where chain_id = ${chainId}`;
  if (row?.count !== events) throw new Error(`${row?.count} of ${events} events are in the index`);
  return printed;
}

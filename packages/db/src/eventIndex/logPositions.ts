import type { Sql, TransactionSql } from "postgres";
import type { Database } from "../connectDatabase";
import { fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import { logTables } from "./copyLogs";
import type { BlockRange, IndexedLog } from "./indexedLog";

/** Where a log is on the chain. */
export type LogPosition = Pick<IndexedLog, "blockNumber" | "logIndex" | "blockHash">;

/** The positions of all stored logs of a range, in order. */
export async function readLogPositions(
  database: Database,
  scope: ContractScope,
  range: BlockRange,
): Promise<LogPosition[]> {
  return database.run("read the positions of logs", () => positionsIn(database.sql, scope, range));
}

/** The same within a transaction. */
export async function positionsIn(
  sql: Sql | TransactionSql,
  { chainId, contract }: ContractScope,
  { from, to }: BlockRange,
): Promise<LogPosition[]> {
  const found: LogPosition[] = [];
  for (const table of logTables) {
    const rows = await sql<{ number: number; log_index: number; block_hash: Uint8Array }[]>`
      select block_number::float8 as number, log_index, block_hash from ${sql(table)}
      where chain_id = ${chainId} and contract = ${contract} and block_number between ${from} and ${to}`;
    for (const { number, log_index, block_hash } of rows) {
      found.push({ blockNumber: number, logIndex: log_index, blockHash: fromBytes(block_hash) });
    }
  }
  return found.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
}

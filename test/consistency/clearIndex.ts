import type { Database } from "@dueday/db/connectDatabase";
import { logTables } from "@dueday/db/eventIndex/copyLogs";
import { derivedTables } from "@dueday/db/eventIndex/deriveRange";
import { receiptTables } from "@dueday/db/eventIndex/writeReceipts";

const TABLES = [
  ...logTables,
  ...derivedTables,
  ...receiptTables,
  "chain_identity",
  "subscription_terms",
  "indexed_tokens",
  "block_hashes",
  "index_checkpoints",
  "outbox",
  "outbox_counters",
  "outbox_states",
  "recovered_payments",
];

/** Empties the event index: the next chain has the same id and contract address. */
export async function clearIndex({ sql }: Database): Promise<void> {
  await sql.begin(async (transaction) => {
    for (const table of TABLES) await transaction`delete from ${transaction(table)}`;
  });
}

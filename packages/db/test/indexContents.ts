import type { Database } from "@dueday/db/connectDatabase";
import { logTables } from "@dueday/db/eventIndex/copyLogs";
import { derivedTables } from "@dueday/db/eventIndex/deriveRange";
import { receiptTables } from "@dueday/db/eventIndex/writeReceipts";
import type { ContractScope } from "@dueday/db/schema/columns";

/** The indexed rows of a contract, by table, without the columns for when and at which head the checkpoint was confirmed, and for rewinds. */
export async function indexContents(database: Database, { chainId, contract }: ContractScope) {
  const tables = [...logTables, ...receiptTables, ...derivedTables, "subscription_terms", "index_checkpoints"];
  return Promise.all(
    tables.map(async (table) => {
      const rows = await database.sql<{ row: string }[]>`
        select (to_jsonb(t) - 'chain_id' - 'contract' - 'confirmed_at' - 'head_number' - 'rewinds' - 'rewound_from'
          - 'rewound_to')::text as row
        from ${database.sql(table)} t where chain_id = ${chainId} and contract = ${contract} order by row`;
      return [table, rows.map(({ row }) => row)] as const;
    }),
  );
}

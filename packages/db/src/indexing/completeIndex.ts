import type { ReceiptFacts } from "@dueday/core/domainEvents/eventBatch";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { Sql, TransactionSql } from "postgres";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { DERIVED_VERSION } from "../eventIndex/deriveRange";
import type { IndexedLog } from "../eventIndex/indexedLog";
import { writeReceipts } from "../eventIndex/writeReceipts";
import { fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/** A transaction of the index whose receipt was not read. */
export type UnreadReceipt = Pick<IndexedLog, "blockNumber" | "blockHash" | "transactionHash">;

/** Whether the derived tables are those of this release; true where nothing is indexed yet. */
export async function isIndexComplete(database: Database, { chainId, contract }: ContractScope): Promise<boolean> {
  return database.run("read the version of the index", async () => {
    const [row] = await database.sql`select from index_checkpoints
      where chain_id = ${chainId} and contract = ${contract} and derived_version < ${DERIVED_VERSION}`;
    return row === undefined;
  });
}

/** Transactions whose receipts an earlier release did not read, in the order of the chain: up to `limit`. */
export async function readUnreadReceipts(
  database: Database,
  scope: ContractScope,
  limit: number,
): Promise<UnreadReceipt[]> {
  return database.run("find receipts to read", () => unreadReceipts(database.sql, scope, limit));
}

/** Stores receipts that were not read before. Those of transactions that a rewind has removed meanwhile are ignored. */
export async function storeReceipts(
  database: Database,
  scope: ContractScope,
  receipts: ReadonlyMap<Hex, ReceiptFacts>,
): Promise<void> {
  const { chainId, contract } = scope;
  await database.run("store receipts", () =>
    database.sql.begin(async (sql) => {
      await sql`select from index_checkpoints where chain_id = ${chainId} and contract = ${contract} for update`;
      const unread = await unreadReceipts(sql, scope, null);
      await writeReceipts(sql, scope, unread, receipts);
    }),
  );
}

/** Transactions whose receipts are needed and not stored; all of them where `limit` is null. */
export async function unreadReceipts(
  sql: Sql | TransactionSql,
  { chainId, contract }: ContractScope,
  limit: number | null,
): Promise<UnreadReceipt[]> {
  const ours = sql`chain_id = ${chainId} and contract = ${contract}`;
  // Where neither FAILED nor PROVREFUND follows an UNSUBSCRIBED, the provider or the janitor removed the subscriber, and only the
  // receipt has the refund.
  const rows = await sql<{ number: number; block_hash: Uint8Array; transaction_hash: Uint8Array }[]>`
    with needed as (
      select block_number, block_hash, transaction_hash from caller_logs where ${ours}
      union
      select block_number, block_hash, transaction_hash from sub_logs l where ${ours} and code = ${subLogCode.Unsubscribed}
        and not exists (select from sub_logs n where n.chain_id = l.chain_id and n.contract = l.contract
          and n.block_number = l.block_number and n.log_index = l.log_index + 1 and n.subscription_id = l.subscription_id
          and n.subscriber = l.subscriber and n.code in (${subLogCode.Failed}, ${subLogCode.ProviderRefund}))
    )
    select block_number::float8 as number, block_hash, transaction_hash from needed
    where not exists (select from receipts r where r.chain_id = ${chainId} and r.contract = ${contract}
      and r.block_number = needed.block_number and r.transaction_hash = needed.transaction_hash)
    order by block_number limit ${limit}`;
  return rows.map(({ number, block_hash, transaction_hash }) => ({
    blockNumber: number,
    blockHash: fromBytes(block_hash),
    transactionHash: fromBytes(transaction_hash),
  }));
}

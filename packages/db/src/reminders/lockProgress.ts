import type { TransactionSql } from "postgres";
import type { ContractScope } from "../schema/columns";

/**
 * Locks the progress of a contract's mails until the transaction ends, and returns it. Events that were written before the first call do
 * not become mails.
 */
export async function lockProgress(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
): Promise<{ afterSeq: number; comingDay: number | null }> {
  const locked = () => sql<{ afterSeq: number; comingDay: number | null }[]>`
    select after_seq::float8 as "afterSeq", coming_day as "comingDay" from mail_progress
    where chain_id = ${chainId} and contract = ${contract} for update`;
  const [row] = await locked();
  if (row !== undefined) return row;
  await sql`
    insert into mail_progress values (${chainId}, ${contract},
      coalesce((select last_seq from outbox_counters where chain_id = ${chainId} and contract = ${contract}), 0), null)
    on conflict (chain_id, contract) do nothing`;
  const [written] = await locked();
  if (written === undefined) throw new Error("the row of mail_progress is missing after it was written");
  return written;
}

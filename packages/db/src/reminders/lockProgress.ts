import type { TransactionSql } from "postgres";
import type { ContractScope } from "../schema/columns";

/** Locks what is known of a contract's mails until the transaction ends. Events that were written before the first call become no mails. */
export async function lockProgress(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
): Promise<{ afterSeq: number; comingDay: number | null }> {
  const [row] = await sql<{ afterSeq: number; comingDay: number | null }[]>`
    insert into mail_progress values (${chainId}, ${contract},
      coalesce((select last_seq from outbox_counters where chain_id = ${chainId} and contract = ${contract}), 0), null)
    on conflict (chain_id, contract) do update set after_seq = mail_progress.after_seq
    returning after_seq::float8 as "afterSeq", coming_day as "comingDay"`;
  if (row === undefined) throw new Error("the statement returns the row that it writes");
  return row;
}

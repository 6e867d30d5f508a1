import type { TransactionSql } from "postgres";
import { SNAPSHOT_CHANNEL, type SnapshotMessage } from "../snapshotChannel";

/** Notifies the listeners when the transaction commits. */
export async function notifyChanges(sql: TransactionSql, changes: readonly SnapshotMessage[]): Promise<void> {
  if (changes.length === 0) return;
  const messages = changes.map((change) => JSON.stringify(change));
  await sql`select pg_notify(${SNAPSHOT_CHANNEL}, message) from unnest(${messages}::text[]) as message`;
}

import type { TransactionSql } from "postgres";
import { SNAPSHOT_CHANNEL, type SnapshotMessage } from "../snapshotChannel";

/** Notifies the listeners when the transaction commits. */
export async function notifyChanges(sql: TransactionSql, changes: readonly SnapshotMessage[]): Promise<void> {
  for (const change of changes) await sql`select pg_notify(${SNAPSHOT_CHANNEL}, ${JSON.stringify(change)})`;
}

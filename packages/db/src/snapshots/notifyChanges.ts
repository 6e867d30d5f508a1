import { sql } from "drizzle-orm";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import { SNAPSHOT_CHANNEL, type SnapshotMessage } from "../snapshotChannel";

/** Notifies the listeners when the transaction commits. */
export async function notifyChanges<T extends PgQueryResultHKT>(
  transaction: PgDatabase<T>,
  changes: readonly SnapshotMessage[],
): Promise<void> {
  const messages = changes.map((change) => JSON.stringify(change));
  if (messages.length === 0) return;
  await transaction.execute(
    sql`select pg_notify(${SNAPSHOT_CHANNEL}, message) from json_array_elements_text(${JSON.stringify(messages)}::json) message`,
  );
}

import type { Database } from "../connectDatabase";

/** Deliveries deleted in one statement. */
const AT_ONCE = 10_000;

/** Deletes the deliveries that were made before a time, in whatever state: their events are no longer kept. */
export async function pruneDeliveries(database: Database, before: Date): Promise<number> {
  let deleted = 0;
  for (let count = AT_ONCE; count === AT_ONCE; deleted += count) {
    const rows = await database.run(
      "prune deliveries",
      () => database.sql`
        delete from webhook_deliveries where id in (
          select id from webhook_deliveries where created_at < ${before.toISOString()} order by created_at limit ${AT_ONCE})`,
    );
    count = rows.count;
  }
  return deleted;
}

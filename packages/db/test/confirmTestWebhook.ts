import type { Database } from "../src/connectDatabase";
import { confirmWebhook } from "../src/webhooks/confirmWebhook";

/** Enables a webhook as if its URL had answered a challenge. */
export async function confirmTestWebhook(database: Database, id: string, now: Date): Promise<void> {
  const [row] = await database.sql<{ revision: number }[]>`select revision from webhooks where id = ${id}`;
  if (row === undefined) throw new Error(`webhook ${id} does not exist`);
  await confirmWebhook(database, { id, revision: row.revision }, now);
}

import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { webhooks } from "../schema/webhooks";
import { UNTRIED, type Webhook } from "./storeWebhook";

/**
 * Enables a webhook whose endpoint has answered the challenge. It continues after the last event that it was given; a new one begins with the
 * first event after its creation.
 *
 * @param webhook with the revision that the challenge was sent for
 * @returns whether it was enabled; false where its owner has changed it since
 */
export async function confirmWebhook(
  database: Database,
  { id, revision }: Pick<Webhook, "id" | "revision">,
  now: Date,
): Promise<boolean> {
  const rows = await database.run("confirm a webhook", (db) =>
    db
      .update(webhooks)
      .set({
        confirmedAt: now,
        enabled: true,
        disabledReason: null,
        disabledAt: null,
        ...UNTRIED,
        revision: sql`${webhooks.revision} + 1`,
        updatedAt: now,
      })
      .where(and(eq(webhooks.id, id), eq(webhooks.revision, revision)))
      .returning({ id: webhooks.id }),
  );
  return rows.length > 0;
}

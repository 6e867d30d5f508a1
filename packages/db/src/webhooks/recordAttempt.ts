import type { DeliveryFailureCode, DisabledReason } from "@dueday/core/webhooks/webhook";
import type { Database } from "../connectDatabase";
import type { LeasedWebhook } from "./leaseWebhooks";
import type { DueDelivery } from "./readDueDeliveries";

/** The result of an attempt. */
export type Attempt = {
  /** Null where it succeeded. */
  failure: DeliveryFailureCode | null;
  response: { status: number; body: string } | null;
  durationMs: number;
  at: Date;
  /** The next one after a failure; null where none follows. */
  nextAttemptAt: Date | null;
};

/**
 * Stores the result of an attempt. A delivery that was delivered or replaced meanwhile stays so; one whose redelivery was requested
 * meanwhile stays due with all of its attempts.
 *
 * @returns the state of its webhook now; null where it was deleted
 */
export async function recordAttempt(
  database: Database,
  { id, attempts, requested }: Pick<DueDelivery, "id" | "attempts" | "requested">,
  { failure, response, durationMs, at, nextAttemptAt }: Attempt,
): Promise<{ revision: number; leasedBy: string | null } | null> {
  const state = failure === null ? "delivered" : nextAttemptAt === null ? "failed" : "pending";
  const next = failure === null ? null : (nextAttemptAt?.toISOString() ?? null);
  const { sql } = database;
  const isRequestedAgain = sql`(d.requested and not ${requested})`;
  const stays = sql`(d.state <> 'pending' or ${isRequestedAgain})`;
  const rows = await database.run(
    "record an attempt",
    () => sql<{ revision: number; leasedBy: string | null }[]>`
      update webhook_deliveries d set last_attempt_at = ${at.toISOString()}, requested = ${isRequestedAgain},
        attempts = case when ${isRequestedAgain} then d.attempts else ${attempts + 1} end,
        state = case when ${stays} then d.state else ${state} end,
        next_attempt_at = case when ${stays} then d.next_attempt_at else ${next}::timestamptz end,
        duration_ms = ${durationMs}, failure = ${failure},
        response_status = ${response?.status ?? null}, response_body = ${response?.body ?? null}
      from webhooks w where d.id = ${id} and w.id = d.webhook_id returning w.revision, w.leased_by as "leasedBy"`,
  );
  return rows[0] ?? null;
}

/** Notes a success. It is written where the webhook was failing only. */
export async function noteSuccess(database: Database, { id }: Pick<LeasedWebhook, "id">): Promise<void> {
  await database.run(
    "note a webhook's success",
    () => database.sql`update webhooks set failing_since = null where id = ${id} and failing_since is not null`,
  );
}

export type FailureRules = {
  at: Date;
  /** The endpoint wants nothing more. */
  isGone: boolean;
  /** A webhook without a success for so long is disabled. */
  disableAfterMs: number;
};

/** Notes a failure, and disables the webhook where it has to be. @returns why it was disabled; null where it was not */
export async function noteFailure(
  database: Database,
  { id }: Pick<LeasedWebhook, "id">,
  { at, isGone, disableAfterMs }: FailureRules,
): Promise<DisabledReason | null> {
  const now = at.toISOString();
  const limit = new Date(at.getTime() - disableAfterMs).toISOString();
  const reason: DisabledReason = isGone ? "gone" : "failing";
  const rows = await database.run("note a webhook's failure", async () => {
    await database.sql`update webhooks set failing_since = ${now} where id = ${id} and failing_since is null`;
    return database.sql`
      update webhooks set enabled = false, disabled_reason = ${reason}, disabled_at = ${now}, updated_at = ${now},
        revision = revision + 1
      where id = ${id} and enabled and (${isGone} or failing_since <= ${limit}) returning id`;
  });
  return rows.length > 0 ? reason : null;
}

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

/** What an attempt shows of its endpoint. */
export type EndpointState = {
  failures: number;
  isSlow: boolean;
  /** Nothing is sent before this time; null for no pause. */
  restsUntil: Date | null;
};

/**
 * Notes the state of an endpoint after a success, or after an attempt that was postponed or does not count, where the
 * state has changed.
 */
export async function noteEndpoint(
  database: Database,
  { id, failures: before, isSlow: wasSlow }: Pick<LeasedWebhook, "id" | "failures" | "isSlow">,
  { failures, isSlow, restsUntil }: EndpointState,
): Promise<void> {
  if (failures === before && isSlow === wasSlow && restsUntil === null) return;
  const { sql } = database;
  await database.run(
    "note the state of a webhook",
    () => sql`update webhooks set failures = ${failures}, is_slow = ${isSlow}, rests_until = ${restsUntil?.toISOString() ?? null},
      failing_since = case when ${failures} = 0 then null else failing_since end where id = ${id}`,
  );
}

export type FailureRules = {
  at: Date;
  /** Whether the endpoint answered that it wants nothing more. */
  isGone: boolean;
  /** A webhook without a success for this time is disabled. */
  disableAfterMs: number;
};

/** Notes a failure, and disables the webhook where it has to be. @returns why it was disabled; null where it was not */
export async function noteFailure(
  database: Database,
  { id }: Pick<LeasedWebhook, "id">,
  { failures, isSlow, restsUntil }: EndpointState,
  { at, isGone, disableAfterMs }: FailureRules,
): Promise<DisabledReason | null> {
  const now = at.toISOString();
  const limit = new Date(at.getTime() - disableAfterMs).toISOString();
  const reason: DisabledReason = isGone ? "gone" : "failing";
  const rows = await database.run("note a webhook's failure", async () => {
    await database.sql`update webhooks set failures = ${failures}, is_slow = ${isSlow},
      rests_until = ${restsUntil?.toISOString() ?? null}, failing_since = coalesce(failing_since, ${now}::timestamptz)
      where id = ${id}`;
    return database.sql`
      update webhooks set enabled = false, disabled_reason = ${reason}, disabled_at = ${now}, updated_at = ${now},
        revision = revision + 1
      where id = ${id} and enabled and (${isGone} or failing_since <= ${limit}) returning id`;
  });
  return rows.length > 0 ? reason : null;
}

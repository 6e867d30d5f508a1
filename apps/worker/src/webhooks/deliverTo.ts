import type { Logger } from "@dueday/config/createLogger";
import { type DeliveryFailureCode, TEST_TYPE, type WebhookTest } from "@dueday/core/webhooks/webhook";
import type { Database } from "@dueday/db/connectDatabase";
import type { LeasedWebhook } from "@dueday/db/webhooks/leaseWebhooks";
import { type DueDelivery, readDueDeliveries } from "@dueday/db/webhooks/readDueDeliveries";
import { noteFailure, noteSuccess, recordAttempt } from "@dueday/db/webhooks/recordAttempt";
import type { SecretBox } from "@dueday/db/webhooks/secretBox";
import { Webhook } from "standardwebhooks";
import type { WebhookMetrics } from "../metrics/webhookMetrics";
import { DISABLE_AFTER_MS, nextAttemptAt } from "./retrySchedule";
import { type SendOptions, sendWebhook, type WebhookMessage } from "./sendWebhook";

/** What deliveries need. */
export type DeliveryContext = Omit<SendOptions, "signal"> & {
  database: Database;
  /** Opens the signing secrets. */
  box: SecretBox;
  /** Unix milliseconds. */
  clock: () => number;
  /** From 0 to 1, for the jitter of retries. */
  random: () => number;
  logger: Logger;
  metrics: WebhookMetrics;
  /** Of this process. */
  workerId: string;
};

/** Deliveries of one turn. */
const MOST_OF_TURN = 50;
/** After so long a turn ends, so that slow endpoints do not keep the others waiting. */
const TURN_MS = 5_000;

/** Attempts the due deliveries of a leased webhook, one after another: a failure does not hold up the next. */
export async function deliverTo(
  context: DeliveryContext,
  webhook: LeasedWebhook,
  /** `stopping` begins no further attempt; `signal` ends the one under way, unrecorded. */
  { signal, stopping }: { signal: AbortSignal; stopping: () => boolean },
): Promise<void> {
  const { database, clock, workerId } = context;
  const endsAt = performance.now() + TURN_MS;
  let isFailing = webhook.isFailing;
  const due = await readDueDeliveries(database, webhook, { now: new Date(clock()), most: MOST_OF_TURN });
  for (const delivery of due) {
    if (stopping() || performance.now() > endsAt) return;
    const { failure, now } = await attempt(context, { ...webhook, isFailing }, delivery, signal);
    isFailing = delivery.seq === null ? isFailing : failure !== null;
    // Its owner has changed it, or another worker has taken it over.
    if (now === null || now.revision !== webhook.revision || now.leasedBy !== workerId) return;
  }
}

async function attempt(context: DeliveryContext, webhook: LeasedWebhook, delivery: DueDelivery, signal: AbortSignal) {
  const { database, clock, random, metrics } = context;
  const startedAt = performance.now();
  const message = compose(context, webhook, delivery);
  const { failure, response } =
    "failure" in message ? { ...message, response: null } : await sendWebhook(message, { ...context, signal });
  const durationMs = Math.round(performance.now() - startedAt);
  const at = new Date(clock());
  const isFinal = failure === null || failure === "EVENT_GONE" || delivery.seq === null;
  const next = isFinal ? null : nextAttemptAt(delivery.attempts + 1, at.getTime(), random());
  const now = await recordAttempt(database, delivery, { failure, response, durationMs, at, nextAttemptAt: next });
  metrics.noteAttempt(webhook.chainId, failure, durationMs);
  // A receiver can take a test and refuse every event: only what events meet counts.
  if (delivery.seq === null || failure === "EVENT_GONE") return { failure, now };
  if (failure !== null) await noteFailed(context, webhook, { failure, at });
  else if (webhook.isFailing) await noteSuccess(database, webhook);
  return { failure, now };
}

async function noteFailed(
  { database, logger }: DeliveryContext,
  webhook: LeasedWebhook,
  { failure, at }: { failure: DeliveryFailureCode; at: Date },
): Promise<void> {
  const rules = { at, isGone: failure === "GONE", disableAfterMs: DISABLE_AFTER_MS };
  const reason = await noteFailure(database, webhook, rules);
  if (reason !== null) logger.info({ webhook: webhook.id, chainId: webhook.chainId, reason }, "a webhook was disabled");
}

/** The signed request of a delivery; or why there can't be one. */
function compose(
  { box, clock }: DeliveryContext,
  { id, url, chainId, secrets }: LeasedWebhook,
  delivery: DueDelivery,
): WebhookMessage | { failure: DeliveryFailureCode } {
  const { seq, eventId } = delivery;
  const body = seq === null ? testBody(delivery, chainId, id) : delivery.body;
  if (body === null) return { failure: "EVENT_GONE" };
  const [secret, ...previous] = secrets.map((sealed) => box.open(sealed, id));
  if (secret == null) return { failure: "SECRET_UNREADABLE" };
  // A block can return after a reorganisation, and with it an event's id: a receiver that ignores what it has seen needs another.
  const messageId = seq === null ? eventId : `${eventId}_${seq}`;
  const sentAt = new Date(clock());
  const opened = [secret, ...previous].filter((each) => each !== null && each !== undefined);
  return {
    url,
    body,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "Dueday-Webhooks/1",
      "webhook-id": messageId,
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "webhook-signature": opened.map((each) => new Webhook(each).sign(messageId, sentAt, body)).join(" "),
    },
  };
}

function testBody({ eventId, createdAt }: DueDelivery, chainId: number, webhookId: string): string {
  const timestamp = new Date(createdAt).toISOString();
  const test: WebhookTest = { id: eventId, type: TEST_TYPE, chainId, timestamp, data: { webhookId } };
  return JSON.stringify(test);
}

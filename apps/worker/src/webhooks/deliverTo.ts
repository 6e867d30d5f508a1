import { randomBytes } from "node:crypto";
import type { Logger } from "@dueday/config/createLogger";
import {
  CHALLENGE_TYPE,
  type DeliveryFailureCode,
  TEST_TYPE,
  type WebhookChallenge,
  type WebhookTest,
} from "@dueday/core/webhooks/webhook";
import type { Database } from "@dueday/db/connectDatabase";
import { confirmWebhook } from "@dueday/db/webhooks/confirmWebhook";
import type { LeasedWebhook } from "@dueday/db/webhooks/leaseWebhooks";
import { type DueDelivery, readDueDeliveries } from "@dueday/db/webhooks/readDueDeliveries";
import { type EndpointState, noteEndpoint, noteFailure, recordAttempt } from "@dueday/db/webhooks/recordAttempt";
import type { SecretBox } from "@dueday/db/webhooks/secretBox";
import { Webhook } from "standardwebhooks";
import type { WebhookMetrics } from "../metrics/webhookMetrics";
import type { WebhookMessage } from "./exchangeWith";
import { DISABLE_AFTER_MS, nextAttemptAt, restMs } from "./retrySchedule";
import { type SendOptions, type SendOutcome, SLOW_MS, sendWebhook } from "./sendWebhook";

/** What deliveries need. */
export type DeliveryContext = Omit<SendOptions, "signal" | "onSlow"> & {
  database: Database;
  /** Opens the signing secrets. */
  box: SecretBox;
  /** Unix milliseconds. */
  clock: () => number;
  /** From 0 to 1, for the jitter of retries. */
  random: () => number;
  logger: Logger;
  metrics: WebhookMetrics;
  /** Names this process in leases. */
  workerId: string;
};

/** The most deliveries of one turn. */
const MOST_OF_TURN = 50;
/** A turn ends after this time, so that slow endpoints do not keep the others waiting. */
const TURN_MS = 5_000;

export type TurnOptions = Pick<SendOptions, "signal" | "onSlow"> & {
  /** Whether to begin no further attempt; `signal` ends the one under way, unrecorded. */
  stopping: () => boolean;
};

/**
 * Attempts the due deliveries of a leased webhook, one after another: a failure does not hold up the next. The turn ends early where the
 * endpoint rests, has become slow, or has answered 410.
 */
export async function deliverTo(context: DeliveryContext, webhook: LeasedWebhook, options: TurnOptions): Promise<void> {
  const { database, clock, workerId } = context;
  const endsAt = performance.now() + TURN_MS;
  let present = webhook;
  const due = await readDueDeliveries(database, webhook, { now: new Date(clock()), most: MOST_OF_TURN });
  for (const delivery of due) {
    if (options.stopping() || performance.now() > endsAt) return;
    const attempted = await attempt(context, present, delivery, options);
    if (attempted === null) return;
    const { state, now, isDisabled } = attempted;
    if (isDisabled || state.restsUntil !== null || state.isSlow) return;
    // Its owner has changed the webhook, or another worker has taken it over.
    if (now === null || now.revision !== webhook.revision || now.leasedBy !== workerId) return;
    present = { ...present, ...state };
  }
}

/** @returns null where the attempt was put off */
async function attempt(
  context: DeliveryContext,
  webhook: LeasedWebhook,
  delivery: DueDelivery,
  { signal, onSlow }: TurnOptions,
) {
  const { database, clock, random, metrics } = context;
  const startedAt = performance.now();
  const outcome = await sendDelivery(context, webhook, delivery, { ...context, signal, onSlow });
  const durationMs = Math.round(performance.now() - startedAt);
  const at = new Date(clock());
  if ("postponedMs" in outcome) {
    const restsUntil = new Date(at.getTime() + outcome.postponedMs);
    await noteEndpoint(database, webhook, { failures: webhook.failures, isSlow: webhook.isSlow, restsUntil });
    return null;
  }
  const { failure, response } = outcome;
  const isFinal = failure === null || failure === "EVENT_GONE" || delivery.seq === null;
  const next = isFinal ? null : nextAttemptAt(delivery.attempts + 1, at.getTime(), random());
  const now = await recordAttempt(database, delivery, { failure, response, durationMs, at, nextAttemptAt: next });
  metrics.noteAttempt(webhook.chainId, failure, durationMs);
  const state = stateAfter(webhook, delivery, outcome, { isSlow: durationMs > SLOW_MS, at });
  let isDisabled = false;
  if (failure !== null && counts(delivery, failure))
    isDisabled = await noteFailed(context, webhook, { failure, state, at });
  else await noteEndpoint(database, webhook, state);
  if (delivery.type === CHALLENGE_TYPE && failure === null) await confirm(context, webhook, at);
  return { state, now, isDisabled };
}

/** A receiver can accept a test and refuse every event, so only attempts to deliver events count. */
function counts({ seq }: DueDelivery, failure: DeliveryFailureCode | null): boolean {
  return seq !== null && failure !== "EVENT_GONE";
}

function stateAfter(
  webhook: LeasedWebhook,
  delivery: DueDelivery,
  { failure, unreachable }: SendOutcome,
  { isSlow, at }: { isSlow: boolean; at: Date },
): EndpointState {
  if (!counts(delivery, failure)) return { failures: webhook.failures, isSlow, restsUntil: null };
  if (failure === null) return { failures: 0, isSlow, restsUntil: null };
  const failures = webhook.failures + 1;
  const pauseMs = restMs(failures, unreachable);
  return { failures, isSlow, restsUntil: pauseMs === 0 ? null : new Date(at.getTime() + pauseMs) };
}

async function confirm({ database, logger }: DeliveryContext, webhook: LeasedWebhook, at: Date): Promise<void> {
  if (await confirmWebhook(database, webhook, at))
    logger.info({ webhook: webhook.id, chainId: webhook.chainId }, "a webhook was confirmed");
}

/** @returns whether this failure has disabled the webhook */
async function noteFailed(
  { database, logger }: DeliveryContext,
  webhook: LeasedWebhook,
  { failure, state, at }: { failure: DeliveryFailureCode; state: EndpointState; at: Date },
): Promise<boolean> {
  const rules = { at, isGone: failure === "GONE", disableAfterMs: DISABLE_AFTER_MS };
  const reason = await noteFailure(database, webhook, state, rules);
  if (reason !== null) logger.info({ webhook: webhook.id, chainId: webhook.chainId, reason }, "a webhook was disabled");
  return reason !== null;
}

async function sendDelivery(
  context: DeliveryContext,
  webhook: LeasedWebhook,
  delivery: DueDelivery,
  options: SendOptions,
): ReturnType<typeof sendWebhook> {
  const written = write(webhook, delivery);
  if (written === null) return { failure: "EVENT_GONE", response: null, unreachable: false };
  const message = compose(context, webhook, delivery, written.body);
  if (message === null) return { failure: "SECRET_UNREADABLE", response: null, unreachable: false };
  const outcome = await sendWebhook(message, options);
  if (written.challenge === null || "postponedMs" in outcome || outcome.failure !== null) return outcome;
  return outcome.response?.body === written.challenge ? outcome : { ...outcome, failure: "CHALLENGE" };
}

const CHALLENGE_BYTES = 24;

/** The body of a delivery, and the answer that a challenge needs; null where its event is no longer kept. */
function write({ id: webhookId, chainId }: LeasedWebhook, delivery: DueDelivery) {
  const { type, eventId, createdAt, body } = delivery;
  const timestamp = new Date(createdAt).toISOString();
  if (type === CHALLENGE_TYPE) {
    // Made for this attempt and not stored: an owner who knew it could name someone else's URL that echoes a part of
    // itself.
    const challenge = randomBytes(CHALLENGE_BYTES).toString("base64url");
    const sent: WebhookChallenge = { id: eventId, type, chainId, timestamp, data: { webhookId, challenge } };
    return { body: JSON.stringify(sent), challenge };
  }
  if (delivery.seq === null) {
    const test: WebhookTest = { id: eventId, type: TEST_TYPE, chainId, timestamp, data: { webhookId } };
    return { body: JSON.stringify(test), challenge: null };
  }
  return body === null ? null : { body, challenge: null };
}

/** The signed request of a delivery; null where the secret can't be opened. */
function compose(
  { box, clock }: DeliveryContext,
  { id, url, secrets }: LeasedWebhook,
  { seq, eventId }: DueDelivery,
  body: string,
): WebhookMessage | null {
  const [secret, ...previous] = secrets.map((sealed) => box.open(sealed, id));
  if (secret == null) return null;
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

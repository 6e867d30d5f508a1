import { type Static, type TLiteral, type TUnion, Type } from "@sinclair/typebox";
import { ChainId, Instant, Sentence, ShortText, Uuid } from "../schema";

/** Why a webhook receives nothing: its URL has not answered a challenge, its owner disabled it, its URL answered 410, or five days had no success. */
export const DisabledReason = Type.Union([
  Type.Literal("challenge"),
  Type.Literal("owner"),
  Type.Literal("gone"),
  Type.Literal("failing"),
]);
export type DisabledReason = Static<typeof DisabledReason>;

/**
 * `pending`: an attempt is due now or later. `failed`: no attempt is left. `replaced`: a replay has created it again, or has skipped
 * it.
 */
export const DeliveryState = Type.Union([
  Type.Literal("pending"),
  Type.Literal("delivered"),
  Type.Literal("failed"),
  Type.Literal("replaced"),
]);
export type DeliveryState = Static<typeof DeliveryState>;

/** What each failure of an attempt means, for the owner of the webhook. */
export const deliveryFailures = {
  STATUS: "The endpoint did not answer with a status of 200 to 299",
  REDIRECT: "The endpoint answered with a redirect, which is never followed: set url to its final address",
  GONE: "The endpoint answered 410, which disables the webhook",
  TIMEOUT: "There was no complete response within 15 s: answer first, then do the work",
  CONNECTION: "The connection failed, or ended before the response was complete",
  RESPONSE: "The response is not HTTP/1.1, or has more than 64 KiB in all",
  CHALLENGE: "The body of the answer has to be data.challenge of the request, and nothing else",
  TLS: "The TLS connection failed: the certificate must be valid for the host name, with its whole chain",
  UNRESOLVED: "The host name does not resolve to an address",
  ADDRESS_REFUSED: "The host name resolves to an address that is not on the public internet",
  SECRET_UNREADABLE: "The signing secret can't be decrypted by this service any more: rotate it",
  EVENT_GONE: "The event has been deleted, so it can't be sent",
} as const;
export type DeliveryFailureCode = keyof typeof deliveryFailures;

// Object.keys is typed as string[]; the keys are exactly the codes.
const failureCodes = Object.keys(deliveryFailures) as DeliveryFailureCode[];

export const DeliveryFailure = Type.Object({
  // TypeBox has no static type for a union of a mapped list.
  code: Type.Union(failureCodes.map((code) => Type.Literal(code))) as TUnion<TLiteral<DeliveryFailureCode>[]>,
  message: Sentence,
});

/** The type of a webhook's test, which no event has. */
export const TEST_TYPE = "webhook.test";

/** What a test sends instead of an event. */
export const WebhookTest = Type.Object({
  id: ShortText,
  type: Type.Literal(TEST_TYPE),
  chainId: ChainId,
  timestamp: Instant,
  data: Type.Object({ webhookId: Uuid }),
});
export type WebhookTest = Static<typeof WebhookTest>;

/** The type of the request that asks an endpoint whether it wants a webhook's events. */
export const CHALLENGE_TYPE = "webhook.challenge";

/** What a challenge sends instead of an event: the endpoint wants the events if the whole body of its answer is `data.challenge`. */
export const WebhookChallenge = Type.Object({
  id: ShortText,
  type: Type.Literal(CHALLENGE_TYPE),
  chainId: ChainId,
  timestamp: Instant,
  data: Type.Object({ webhookId: Uuid, challenge: ShortText }),
});
export type WebhookChallenge = Static<typeof WebhookChallenge>;

/** The most challenges of a webhook in any 24 hours. */
export const MOST_CHALLENGES = 3;
export const CHALLENGE_WINDOW_MS = 24 * 3_600_000;

/** How long both secrets sign after a rotation, milliseconds. */
export const ROTATION_OVERLAP_MS = 24 * 3_600_000;

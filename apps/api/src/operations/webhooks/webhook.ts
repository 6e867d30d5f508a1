import { EventTypeName, eventTypes } from "@dueday/core/domainEvents/domainEvent";
import { ServiceError, validationError } from "@dueday/core/errors";
import { Address, Bytes32, ChainId, Count, described, Instant, Nullable, oneLine } from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { checkWebhookUrl, URL_LENGTH } from "@dueday/core/webhooks/checkWebhookUrl";
import { resolveWebhookHost } from "@dueday/core/webhooks/resolveWebhookHost";
import { DisabledReason } from "@dueday/core/webhooks/webhook";
import type { Webhook, WebhookSettings } from "@dueday/db/webhooks/storeWebhook";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { getAddress, type Hex } from "viem";
import type { Context, WebhookManagement } from "../../operation/context";
import { requireSubject } from "../../operation/requireSubject";
import { eventTypesInput } from "../events/listEvents";
import { KeyId, Label } from "../keys/developerKey";

export const WebhookId = { ...KeyId, description: "UUID of a webhook, lower case" };

/** Any real signing secret has this form. */
export const Secret = Type.String({
  pattern: "^whsec_[A-Za-z0-9+/]+=*$",
  maxLength: 128,
  description: "The signing secret: store it now, it is never shown again",
});

export const WebhookUrl = {
  ...oneLine(URL_LENGTH),
  minLength: 1,
  expects: `an https URL of at most ${URL_LENGTH} characters`,
  description: "Where events are sent: https, port 443 or above 1023, a host on the public internet",
};

export const Types = Nullable({
  ...eventTypesInput,
  expects: `a list of 1 to ${eventTypesInput.maxItems} event types`,
});

export const Filter = Type.Object(
  {
    subscription: Type.Optional({ ...Bytes32, description: "Only events of this subscription" }),
    provider: Type.Optional({ ...Address, description: "Only events of this provider" }),
    subscriber: Type.Optional({ ...Address, description: "Only events of this subscriber" }),
  },
  { description: "Only events that concern all of these; {} passes every event" },
);

export const Description = Nullable({
  ...Label,
  description: "Purpose of the webhook",
  expects: "one line of at most 200 characters",
});

/** Webhooks of a subject at most. */
export const WEBHOOKS_LIMIT = 100;

/** A webhook as answers show it: everything but its secret. */
export const WebhookView = Type.Object({
  id: WebhookId,
  chainId: described(ChainId, "The chain whose events it receives"),
  url: described(oneLine(URL_LENGTH), "Where events are sent"),
  types: Nullable(
    Type.Array(EventTypeName, {
      maxItems: eventTypes.length,
      description: "Only these types, and retractions of them",
    }),
  ),
  filter: Filter,
  description: Nullable(described(Label, "Purpose of the webhook")),
  enabled: Type.Boolean(),
  confirmedAt: Nullable(Instant),
  disabledReason: Nullable(DisabledReason),
  disabledAt: Nullable(Instant),
  failingSince: Nullable(Instant),
  afterSeq: { ...Count, description: "Deliveries exist for its events up to this seq" },
  previousSecretUntil: Nullable(Instant),
  createdAt: Instant,
  updatedAt: Instant,
});

/** @returns the caller's subject, and what webhooks need. @throws ServiceError LANE_REQUIRED without a subject, WEBHOOKS_DISABLED */
export function requireWebhooks(context: Context): WebhookManagement & { subjectId: string } {
  const { webhooks } = context;
  if (webhooks === null) {
    const message =
      "This service has no webhooks: its operator has to set SECRETS_KEY for the API and the workers. GET /events has the same events";
    throw new ServiceError("WEBHOOKS_DISABLED", message);
  }
  return { ...webhooks, subjectId: requireSubject(context, "A webhook") };
}

export function noWebhook(): ServiceError {
  return new ServiceError("NOT_FOUND", "None of your webhooks has this id; GET /webhooks lists them");
}

/** The error of an operation that needs an endpoint which has answered a challenge. */
export function challengeRequired(): ServiceError {
  const message =
    "The URL of this webhook has not answered a challenge, so nothing is sent to it: POST /webhooks/:id/challenge, and answer with data.challenge";
  return new ServiceError("CHALLENGE_REQUIRED", message);
}

/** @throws ServiceError VALIDATION_ERROR where the text is not a URL, URL_REFUSED where no event is sent to this URL */
export async function checkUrl(text: string, management: WebhookManagement): Promise<void> {
  const { url, issue } = checkWebhookUrl(text, management);
  if (url === null)
    throw issue.code === "MALFORMED" ? validationError("url", issue.code, issue.message) : urlRefused(issue.message);
  const { failure } = await resolveWebhookHost(url, management);
  if (failure === "UNRESOLVED") throw urlRefused("must have a host name that resolves: this one has no address");
  if (failure === "ADDRESS_REFUSED")
    throw urlRefused("must have a host on the public internet: this name has an address that is not public");
}

function urlRefused(message: string): ServiceError {
  return new ServiceError("URL_REFUSED", `url ${message}`, { issues: [{ code: "NOT_ALLOWED", path: "url", message }] });
}

/** The columns of a filter. */
export function filterColumns(
  filter: Static<typeof Filter>,
): Pick<WebhookSettings, "subscriptionId" | "provider" | "subscriber"> {
  const lower = (hex: string | undefined): Hex | null => (hex === undefined ? null : toLowerCase(hex));
  return {
    subscriptionId: lower(filter.subscription),
    provider: lower(filter.provider),
    subscriber: lower(filter.subscriber),
  };
}

export function toWebhookView(webhook: Webhook): Static<typeof WebhookView> {
  const { id, chainId, url, types, description, enabled, disabledReason, afterSeq } = webhook;
  const { subscriptionId: subscription, provider, subscriber } = webhook;
  const instant = (date: Date | null) => date?.toISOString() ?? null;
  return {
    id,
    chainId,
    url,
    description,
    enabled,
    afterSeq,
    types: types === null ? null : Value.Parse(Type.Array(EventTypeName), types),
    filter: {
      ...(subscription !== null && { subscription }),
      ...(provider !== null && { provider: getAddress(provider) }),
      ...(subscriber !== null && { subscriber: getAddress(subscriber) }),
    },
    confirmedAt: instant(webhook.confirmedAt),
    disabledReason: disabledReason === null ? null : Value.Parse(DisabledReason, disabledReason),
    disabledAt: instant(webhook.disabledAt),
    failingSince: instant(webhook.failingSince),
    previousSecretUntil: instant(webhook.previousSecretUntil),
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  };
}

import { DomainEvent } from "@dueday/core/domainEvents/domainEvent";
import { type ErrorCode, errorStatus, Issue, Issues, Warning } from "@dueday/core/errors";
import { EventView } from "@dueday/core/events/eventView";
import { BlockedByView } from "@dueday/core/remit/plan";
import { Revert } from "@dueday/core/reverts/revert";
import {
  Address,
  AsOf,
  Bytes32,
  CalendarDate,
  Count,
  DayNumber,
  DecimalString,
  described,
  Frequency,
  FrequencyLabel,
  Hex,
  Instant,
  IntegerString,
  RequestId,
  Sentence,
  ShortText,
  SignedDecimalString,
  SignedTokenUnits,
  Subscription,
  TokenAmount,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "@dueday/core/schema";
import {
  AssetChange,
  GasEstimate,
  GasSummary,
  Instruction,
  Simulation,
  UnsignedTransaction,
  WalletCalls,
} from "@dueday/core/schemas/prepareAnswer";
import { type TSchema, Type } from "@sinclair/typebox";
import { HistoryEntry } from "../../history/presentEvent";

const ErrorEnvelope = Type.Object({
  error: described(Sentence, "One sentence a person can act on"),
  code: Type.Union(
    // The keys of a record of error codes are the error codes.
    (Object.keys(errorStatus) as ErrorCode[]).map((code) => Type.Literal(code)),
    { description: "Stable code for programs; docs links to its description" },
  ),
  docs: described(ShortText, "Path of the code's cause and repair on this service, e.g. /docs/errors#NOT_READY"),
  requestId: RequestId,
  issues: Type.Optional(Issues),
  revert: Type.Optional(Revert),
});

/** Kinds of values, whose bounds are written once. */
const kinds: Record<string, TSchema> = {
  Address,
  Hash: Bytes32,
  Hex,
  Uint256: IntegerString,
  TokenUnits,
  SignedTokenUnits,
  Decimal: DecimalString,
  SignedDecimal: SignedDecimalString,
  Count,
  DayNumber,
  CalendarDate,
  Instant,
  Frequency,
  FrequencyLabel,
  TokenDecimals,
  Sentence,
  UntrustedText,
};

/** Records that answers are built from. They and every answer are written once, under components: a record by its name here, an answer by `answerName`. */
export const records: Record<string, TSchema> = {
  ...kinds,
  AsOf,
  AssetChange,
  BlockedBy: BlockedByView,
  DecodedEvent: EventView,
  DomainEvent,
  Error: ErrorEnvelope,
  GasEstimate,
  GasSummary,
  Instruction,
  Issue,
  Revert,
  Simulation,
  Subscription,
  SubscriptionEvent: HistoryEntry,
  TokenAmount,
  UnsignedTransaction,
  WalletCalls,
  Warning,
};

/** One component for each type of domain event, e.g. PaymentPaidEvent. */
export const eventsByType: Record<string, TSchema> = Object.fromEntries(
  DomainEvent.anyOf.map((schema) => [`${pascalCase(schema.properties.type.const)}Event`, schema]),
);

/** `get_remit_plan` -> RemitPlan, `prepare_remit` -> PreparedRemit: the name of an operation's answer. */
export function answerName(operation: string): string {
  if (operation in answerNames) return answerNames[operation] ?? "";
  return pascalCase(operation.replace(/^(?:get|check|list|search)_/, "").replace(/^prepare_/, "prepared_"));
}

/** Where the rule above gives a poor name, or one that is taken. */
const answerNames: Readonly<Record<string, string>> = {
  get_root: "Service",
  get_subscription: "SubscriptionAnswer",
  get_subscriptions_due: "DueList",
  get_subscribers: "SubscriberList",
  list_events: "EventList",
  check_remit_readiness: "RemitReadiness",
  check_subscribe_readiness_by_id: "SubscribeReadiness",
  search_subscriptions: "SubscriptionList",
  create_portal_challenge: "PortalChallenge",
  create_portal_session: "StartedPortalSession",
  end_portal_session: "EndedPortalSession",
  set_portal_checkout: "PortalCheckout",
  get_portal_reminders: "PortalReminders",
  set_portal_reminders: "PortalReminders",
  delete_portal_reminders: "PortalReminders",
  confirm_reminders: "ConfirmedReminders",
  unsubscribe_reminders: "UnsubscribedReminders",
  create_webhook: "CreatedWebhook",
  get_webhook: "Webhook",
  update_webhook: "Webhook",
  delete_webhook: "DeletedWebhook",
  rotate_webhook_secret: "RotatedSecret",
  challenge_webhook: "WebhookDelivery",
  test_webhook: "WebhookDelivery",
  redeliver_webhook: "WebhookDelivery",
  list_webhooks: "WebhookList",
  list_webhook_deliveries: "WebhookDeliveryList",
  replay_webhook: "WebhookReplay",
};

/** `payment.paid` -> `PaymentPaid`. */
export function pascalCase(text: string): string {
  return text.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

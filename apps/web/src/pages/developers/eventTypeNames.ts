import type { DuedayEvent } from "@dueday/sdk";

/** What each type of event announces, for a person who chooses among them. */
export const eventTypeNames: Readonly<Record<DuedayEvent["type"], string>> = {
  "payment.paid": "a payment was made",
  "payment.failed": "a payment failed",
  "payment.will_fail": "a payment will fail",
  "payment.refunded": "a prepayment was refunded",
  "subscription.subscribed": "an account subscribed",
  "subscription.unsubscribed": "an account left",
  "subscription.created": "a plan was created",
  "subscription.cancelled": "a plan was cancelled",
  "subscription.details_changed": "the texts of a plan changed",
  "provider.updated": "a provider changed its profile",
  "remit.due": "payments wait for a keeper",
  "remit.settled": "a keeper settled payments",
  "remit.caught_up": "everything due is settled",
  "remit.blocked": "settling is blocked",
  "event.retracted": "an event is no longer true",
};

import type { DuedayEvent, OperationName } from "@dueday/sdk";

type Reads = readonly OperationName[];

const plan: Reads = ["getRemitReadiness", "getSubscriptionsDue", "getDueCalendar", "getRemitForecast", "getRemitPlan"];
const record: Reads = [
  "getSubscription",
  "getSubscriptionDetails",
  "getDetailsHistory",
  "searchSubscriptions",
  "getNames",
  "getCheckout",
];
const membership: Reads = [
  "getSubscribers",
  "listAtRisk",
  "getEntitlement",
  "getFeeBalance",
  "getAccount",
  "getAccountHealth",
  "getAccountSubscriptions",
  "listAccountPermits",
  "getCheckout",
];
const history: Reads = ["getSubscriptionHistory", "getAccountActivity"];
const business: Reads = ["getProviderMetrics", "getProviderCohorts"];
const money: Reads = ["getAccountSpending", "getProviderIncome", "listPayments", ...business];
const remits: Reads = ["listRemitHistory", "listRemitKeepers", "getProtocolState"];

const terms = [...record, ...plan, ...history, "getAccount", "getAccountSubscriptions"] as const;
const charge = [...membership, ...history, ...money, ...plan] as const;

/** Which answers an event of each type may change. */
const reads: Readonly<Record<DuedayEvent["type"], Reads>> = {
  "subscription.created": terms,
  "subscription.cancelled": [...terms, ...membership, ...business],
  "subscription.details_changed": [...record, "getDetailsHistory"],
  "subscription.subscribed": charge,
  "subscription.unsubscribed": charge,
  "payment.paid": charge,
  "payment.failed": charge,
  "payment.refunded": charge,
  "payment.will_fail": ["getRemitForecast", ...membership],
  "remit.due": plan,
  "remit.blocked": plan,
  "remit.caught_up": plan,
  "remit.settled": [...plan, ...remits],
  "provider.updated": ["getNames", "getProviderProfile", "getCheckout"],
  "event.retracted": [...plan, ...record, ...membership, ...history, ...money, ...remits, "getProviderProfile"],
};

/** Names of the operations whose answers an event may have changed. A type that this version does not know changes none. */
export function affectedReads(type: string): Reads {
  return type in reads ? reads[type as DuedayEvent["type"]] : []; // by `in`
}

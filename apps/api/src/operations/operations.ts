import type { Static, TObject, TProperties } from "@sinclair/typebox";
import type { Operation } from "../operation/defineOperation";
import { listEvents } from "./events/listEvents";
import { getAccountActivity } from "./history/getAccountActivity";
import { getProviderProfile } from "./history/getProviderProfile";
import { getDetailsHistory, getSubscriptionDetails } from "./history/getSubscriptionDetails";
import { getSubscriptionHistory } from "./history/getSubscriptionHistory";
import { searchSubscriptions } from "./history/searchSubscriptions";
import { createKey } from "./keys/createKey";
import { listKeys } from "./keys/listKeys";
import { revokeKey } from "./keys/revokeKey";
import { getAccountSpending } from "./money/getAccountSpending";
import { getAccountStatement } from "./money/getAccountStatement";
import { getProviderCohorts } from "./money/getProviderCohorts";
import { getProviderIncome } from "./money/getProviderIncome";
import { getProviderMetrics } from "./money/getProviderMetrics";
import { listPayments } from "./money/listPayments";
import { keepPermit } from "./permits/keepPermit";
import { listAccountPermits } from "./permits/listAccountPermits";
import { listPermits } from "./permits/listPermits";
import { preparePermit } from "./permits/preparePermit";
import { prepareSubmitPermit } from "./permits/prepareSubmitPermit";
import { withdrawPermit } from "./permits/withdrawPermit";
import { createPortalChallenge } from "./portal/createPortalChallenge";
import { createPortalKey } from "./portal/createPortalKey";
import { createPortalSession } from "./portal/createPortalSession";
import { endPortalSession } from "./portal/endPortalSession";
import { getPortalSession } from "./portal/getPortalSession";
import { getPortalUsage } from "./portal/getPortalUsage";
import { listPortalKeys } from "./portal/listPortalKeys";
import { revokePortalKey } from "./portal/revokePortalKey";
import { prepareApprove } from "./prepare/prepareApprove";
import { prepareCancelSubscription, prepareCancelSubscriptionById } from "./prepare/prepareCancelSubscription";
import { prepareChangePlan } from "./prepare/prepareChangePlan";
import { prepareCreateSubscription } from "./prepare/prepareCreateSubscription";
import { prepareEditDetails } from "./prepare/prepareEditDetails";
import { prepareEditProviderProfile } from "./prepare/prepareEditProviderProfile";
import { prepareSubscribe, prepareSubscribeById } from "./prepare/prepareSubscribe";
import { prepareUnsubscribe, prepareUnsubscribeById } from "./prepare/prepareUnsubscribe";
import { prepareUnsubscribeByProvider, prepareUnsubscribeByProviderById } from "./prepare/prepareUnsubscribeByProvider";
import { getApprovedToken } from "./protocol/getApprovedToken";
import { getProtocolState } from "./protocol/getProtocolState";
import { listApprovedTokens } from "./protocol/listApprovedTokens";
import { confirmReminders } from "./reminders/confirmReminders";
import { deletePortalReminders } from "./reminders/deletePortalReminders";
import { getPortalReminders } from "./reminders/getPortalReminders";
import { setPortalReminders } from "./reminders/setPortalReminders";
import { unsubscribeReminders } from "./reminders/unsubscribeReminders";
import { getRemitForecast } from "./remit/getRemitForecast";
import { getRemitPlan } from "./remit/getRemitPlan";
import { listRemitHistory } from "./remit/listRemitHistory";
import { listRemitKeepers } from "./remit/listRemitKeepers";
import { prepareRemit } from "./remit/prepareRemit";
import { checkRemitReadiness, getRemitReadiness } from "./remit/remitReadiness";
import { getCheckout } from "./selling/getCheckout";
import { getNames } from "./selling/getNames";
import { getPortalCheckout } from "./selling/getPortalCheckout";
import { setPortalCheckout } from "./selling/setPortalCheckout";
import { getCatalog } from "./service/getCatalog";
import { getRoot } from "./service/getRoot";
import { getStatus } from "./service/getStatus";
import { checkSubscribeReadiness, checkSubscribeReadinessById } from "./subscriptions/checkSubscribeReadiness";
import { getAccount } from "./subscriptions/getAccount";
import { getAccountCharges } from "./subscriptions/getAccountCharges";
import { getAccountHealth } from "./subscriptions/getAccountHealth";
import { getAccountSubscriptions } from "./subscriptions/getAccountSubscriptions";
import { getDueCalendar } from "./subscriptions/getDueCalendar";
import { getEntitlement } from "./subscriptions/getEntitlement";
import { getFeeBalance } from "./subscriptions/getFeeBalance";
import { getSubscribers } from "./subscriptions/getSubscribers";
import { getSubscription } from "./subscriptions/getSubscription";
import { getSubscriptionsDue } from "./subscriptions/getSubscriptionsDue";
import { listAtRisk } from "./subscriptions/listAtRisk";
import { getTransactionStatus } from "./transactions/getTransactionStatus";
import { challengeWebhook } from "./webhooks/challengeWebhook";
import { createWebhook } from "./webhooks/createWebhook";
import { deleteWebhook } from "./webhooks/deleteWebhook";
import { getWebhook } from "./webhooks/getWebhook";
import { listWebhookDeliveries } from "./webhooks/listWebhookDeliveries";
import { listWebhooks } from "./webhooks/listWebhooks";
import { redeliverWebhook } from "./webhooks/redeliverWebhook";
import { replayWebhook } from "./webhooks/replayWebhook";
import { rotateWebhookSecret } from "./webhooks/rotateWebhookSecret";
import { testWebhook } from "./webhooks/testWebhook";
import { updateWebhook } from "./webhooks/updateWebhook";

/** Everything that the service can do. REST, MCP, OpenAPI and the catalog are made from this list, in this order. */
export const operations = [
  getRoot,
  getStatus,
  getCatalog,
  getProtocolState,
  searchSubscriptions,
  getSubscriptionsDue,
  getDueCalendar,
  getSubscription,
  getSubscribers,
  getFeeBalance,
  getEntitlement,
  getSubscriptionDetails,
  getDetailsHistory,
  getSubscriptionHistory,
  getAccountSubscriptions,
  getAccount,
  getAccountHealth,
  getAccountCharges,
  getAccountActivity,
  getAccountSpending,
  getAccountStatement,
  getProviderProfile,
  getProviderIncome,
  getProviderMetrics,
  getProviderCohorts,
  listAtRisk,
  listPayments,
  getNames,
  getCheckout,
  listApprovedTokens,
  getApprovedToken,
  checkSubscribeReadiness,
  checkSubscribeReadinessById,
  prepareCreateSubscription,
  prepareSubscribe,
  prepareSubscribeById,
  prepareApprove,
  prepareChangePlan,
  preparePermit,
  prepareSubmitPermit,
  keepPermit,
  listPermits,
  listAccountPermits,
  withdrawPermit,
  prepareCancelSubscription,
  prepareCancelSubscriptionById,
  prepareUnsubscribe,
  prepareUnsubscribeById,
  prepareUnsubscribeByProvider,
  prepareUnsubscribeByProviderById,
  prepareEditDetails,
  prepareEditProviderProfile,
  getRemitReadiness,
  checkRemitReadiness,
  getRemitPlan,
  getRemitForecast,
  listRemitHistory,
  listRemitKeepers,
  prepareRemit,
  getTransactionStatus,
  listEvents,
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  challengeWebhook,
  testWebhook,
  rotateWebhookSecret,
  listWebhookDeliveries,
  redeliverWebhook,
  replayWebhook,
  createKey,
  listKeys,
  revokeKey,
  createPortalChallenge,
  createPortalSession,
  getPortalSession,
  endPortalSession,
  createPortalKey,
  listPortalKeys,
  revokePortalKey,
  getPortalUsage,
  getPortalCheckout,
  setPortalCheckout,
  getPortalReminders,
  setPortalReminders,
  deletePortalReminders,
  confirmReminders,
  unsubscribeReminders,
] as const satisfies readonly Operation[];

export type OperationName = (typeof operations)[number]["name"];

/** The operation of that name. Its types are for clients, by `import type`. */
export type OperationNamed<N extends OperationName> = Extract<(typeof operations)[number], { name: N }>;

/** What a client may send: properties with a default are optional. */
export type Input<N extends OperationName> = Sendable<OperationNamed<N>["input"]>;

export type Output<N extends OperationName> = Static<OperationNamed<N>["output"]>;

type Sendable<T extends TObject> = Flat<
  Omit<Static<T>, Defaulted<T["properties"]>> & Partial<Pick<Static<T>, Defaulted<T["properties"]> & keyof Static<T>>>
>;

type Flat<T> = { [K in keyof T]: T[K] };

type Defaulted<P extends TProperties> = { [K in keyof P]: P[K] extends { default: unknown } ? K : never }[keyof P];

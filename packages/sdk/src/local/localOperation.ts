import type { OperationName } from "../operationTypes";

/** What a node can answer without the service. */
export type LocalOperation = Extract<
  OperationName,
  | "getProtocolState"
  | "getSubscription"
  | "getSubscribers"
  | "getFeeBalance"
  | "getAccountSubscriptions"
  | "getAccount"
  | "listApprovedTokens"
  | "getApprovedToken"
  | "getSubscriptionsDue"
  | "checkSubscribeReadiness"
  | "checkSubscribeReadinessById"
  | "getRemitReadiness"
  | "checkRemitReadiness"
  | "getRemitPlan"
  | "getRemitForecast"
  | "prepareCreateSubscription"
  | "prepareSubscribe"
  | "prepareSubscribeById"
  | "prepareCancelSubscription"
  | "prepareCancelSubscriptionById"
  | "prepareUnsubscribe"
  | "prepareUnsubscribeById"
  | "prepareUnsubscribeByProvider"
  | "prepareUnsubscribeByProviderById"
  | "prepareEditDetails"
  | "prepareRemit"
  | "getTransactionStatus"
>;

import type { Operation } from "../operation/defineOperation";
import { getAccount } from "./accounts/getAccount";
import { getAccountSubscriptions } from "./accounts/getAccountSubscriptions";
import { listAccountActivity } from "./history/listAccountActivity";
import { listSubscriptionHistory } from "./history/listSubscriptionHistory";
import { readProvider } from "./history/readProvider";
import { listDetailsHistory, readSubscriptionDetails } from "./history/readSubscriptionDetails";
import { searchSubscriptions } from "./history/searchSubscriptions";
import { createKey } from "./keys/createKey";
import { listKeys } from "./keys/listKeys";
import { revokeKey } from "./keys/revokeKey";
import { prepareCancelSubscription } from "./prepare/prepareCancelSubscription";
import { prepareCancelSubscriptionById } from "./prepare/prepareCancelSubscriptionById";
import { prepareCreateSubscription } from "./prepare/prepareCreateSubscription";
import { prepareEditDetails } from "./prepare/prepareEditDetails";
import { prepareSubscribe } from "./prepare/prepareSubscribe";
import { prepareSubscribeById } from "./prepare/prepareSubscribeById";
import { prepareUnsubscribe } from "./prepare/prepareUnsubscribe";
import { prepareUnsubscribeById } from "./prepare/prepareUnsubscribeById";
import { prepareUnsubscribeByProvider } from "./prepare/prepareUnsubscribeByProvider";
import { prepareUnsubscribeByProviderById } from "./prepare/prepareUnsubscribeByProviderById";
import { readProtocolState } from "./protocol/readProtocolState";
import { checkSubscribeReadiness } from "./readiness/checkSubscribeReadiness";
import { checkSubscribeReadinessById } from "./readiness/checkSubscribeReadinessById";
import { checkRemitReadiness } from "./remit/checkRemitReadiness";
import { getRemitForecast } from "./remit/getRemitForecast";
import { getRemitPlan } from "./remit/getRemitPlan";
import { getRemitReadiness } from "./remit/getRemitReadiness";
import { prepareRemit } from "./remit/prepareRemit";
import { readCatalog } from "./service/readCatalog";
import { readRoot } from "./service/readRoot";
import { readStatus } from "./service/readStatus";
import { getFeeBalance } from "./subscriptions/getFeeBalance";
import { getSubscribers } from "./subscriptions/getSubscribers";
import { getSubscription } from "./subscriptions/getSubscription";
import { listDue } from "./subscriptions/listDue";
import { getApprovedToken } from "./tokens/getApprovedToken";
import { listApprovedTokens } from "./tokens/listApprovedTokens";
import { getTransactionStatus } from "./transactions/getTransactionStatus";

/** Everything the service can do. REST, MCP, OpenAPI and the catalog are made from this list, in this order. */
export const operations: readonly Operation[] = [
  readRoot,
  readStatus,
  readCatalog,
  readProtocolState,
  searchSubscriptions,
  listDue,
  getSubscription,
  getSubscribers,
  getFeeBalance,
  readSubscriptionDetails,
  listDetailsHistory,
  listSubscriptionHistory,
  getAccountSubscriptions,
  getAccount,
  listAccountActivity,
  readProvider,
  listApprovedTokens,
  getApprovedToken,
  checkSubscribeReadiness,
  checkSubscribeReadinessById,
  prepareCreateSubscription,
  prepareSubscribe,
  prepareSubscribeById,
  prepareCancelSubscription,
  prepareCancelSubscriptionById,
  prepareUnsubscribe,
  prepareUnsubscribeById,
  prepareUnsubscribeByProvider,
  prepareUnsubscribeByProviderById,
  prepareEditDetails,
  getRemitReadiness,
  checkRemitReadiness,
  getRemitPlan,
  getRemitForecast,
  prepareRemit,
  getTransactionStatus,
  createKey,
  listKeys,
  revokeKey,
];

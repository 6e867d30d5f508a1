import { readAccount } from "@dueday/chain/accounts/readAccount";
import { readAccountHealth } from "@dueday/chain/accounts/readAccountHealth";
import { readAccountSubscriptions } from "@dueday/chain/accounts/readAccountSubscriptions";
import { pinBlock } from "@dueday/chain/block/pinBlock";
import { readHead } from "@dueday/chain/block/readHead";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { presentDueDay } from "@dueday/chain/due/presentDueDay";
import { readDueDay } from "@dueday/chain/due/readDueDays";
import type { SubscriptionReference } from "@dueday/chain/prepare/namedSubscription";
import { readSubscribeReadiness } from "@dueday/chain/prepare/readSubscribeReadiness";
import { readApprovedToken, readApprovedTokens } from "@dueday/chain/reads/readApprovedTokens";
import { readProtocolState } from "@dueday/chain/reads/readProtocolState";
import { pageRemitPlan } from "@dueday/chain/remit/pageRemitPlan";
import { presentForecast } from "@dueday/chain/remit/presentForecast";
import { readRemitForecast } from "@dueday/chain/remit/readRemitForecast";
import { readRemitPlan } from "@dueday/chain/remit/readRemitPlan";
import { readSubscribers } from "@dueday/chain/subscriptions/readSubscribers";
import { readFeeBalance, readSubscription } from "@dueday/chain/subscriptions/readSubscription";
import { presentTransactionStatus } from "@dueday/chain/transactions/presentTransactionStatus";
import { ServiceError } from "@dueday/core/errors";
import type { DuedayMethods } from "../operationTypes";
import {
  requireAccount,
  requireAccountList,
  requireAddress,
  requireBytes32,
  requireCaller,
  requireDueQuery,
  requireFeeBalanceQuery,
  requireForecastQuery,
  requireHealthQuery,
  requirePage,
  requirePlanPage,
  requirePrepareOn,
  requireTransaction,
} from "./inputs";
import { answersAt, type LocalChain, prefetching } from "./localChain";
import type { LocalOperation } from "./localOperation";
import { readOwnReadiness } from "./readOwnReadiness";

type LocalReads = Pick<DuedayMethods, Exclude<LocalOperation, `prepare${string}`>>;

/** The reads: each checks its input and calls the function that the service answers with. */
export function localReads(chain: LocalChain): LocalReads {
  const today = answersAt(chain, pinBlock);
  const newest = answersAt(chain, readHead);
  const subscribeReadiness = (simulate: boolean) => {
    const check = (input: { from: string } & SubscriptionReference) => ({ ...requirePrepareOn(input), simulate });
    return today(prefetching(chain, check), readSubscribeReadiness);
  };
  const remitReadiness = today(requireCaller, readOwnReadiness);

  return {
    getProtocolState: today(() => ({}), readProtocolState),
    getSubscription: newest(({ id }) => ({ id: requireBytes32("id", id) }), readSubscription),
    getSubscribers: newest((input) => ({ id: requireBytes32("id", input.id), ...requirePage(input) }), listSubscribers),
    getFeeBalance: newest(requireFeeBalanceQuery, readFeeBalance),
    getAccount: newest(requireAccount, readAccount),
    getAccountSubscriptions: newest(requireAccountList, readAccountSubscriptions),
    getAccountHealth: newest(requireHealthQuery, readAccountHealth),
    listApprovedTokens: today(() => ({}), readApprovedTokens),
    getApprovedToken: newest(({ token }) => ({ token: requireAddress("token", token) }), readApprovedToken),
    getSubscriptionsDue: today(requireDueQuery, async (client, parameters) =>
      presentDueDay(await readDueDay(client, parameters), parameters),
    ),
    checkSubscribeReadiness: subscribeReadiness(true),
    checkSubscribeReadinessById: subscribeReadiness(false),
    getRemitReadiness: remitReadiness,
    checkRemitReadiness: remitReadiness,
    // Permits are kept by a service: a node knows of none.
    getRemitPlan: today(requirePlanPage, async (client, parameters) => ({
      ...pageRemitPlan(await readRemitPlan(client, parameters), parameters),
      permits: [],
      afterPermits: null,
    })),
    getRemitForecast: today(requireForecastQuery, async (client, parameters) =>
      presentForecast(await readRemitForecast(client, parameters), parameters.filter),
    ),
    // At the newest block: the transaction may be in it.
    getTransactionStatus: newest(requireTransaction, presentTransactionStatus),
  };
}

async function listSubscribers(client: ChainClient, target: Parameters<typeof readSubscribers>[1]) {
  const page = await readSubscribers(client, target);
  if (page !== null) return page;
  const message = "The contract can't list these subscribers; the service lists them from its event index";
  throw new ServiceError("UPSTREAM_ERROR", message);
}

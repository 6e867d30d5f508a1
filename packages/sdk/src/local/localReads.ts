import { readAccount } from "@dueday/chain/accounts/readAccount";
import { readAccountHealth } from "@dueday/chain/accounts/readAccountHealth";
import { readAccountSubscriptions } from "@dueday/chain/accounts/readAccountSubscriptions";
import { readHead } from "@dueday/chain/block/readHead";
import { presentDueDay } from "@dueday/chain/due/presentDueDay";
import { readDueDays } from "@dueday/chain/due/readDueDays";
import { readSubscribeFacts } from "@dueday/chain/prepare/readSubscribeFacts";
import { readSubscribeReadiness } from "@dueday/chain/prepare/readSubscribeReadiness";
import { resolveSubscription, type SubscriptionReference } from "@dueday/chain/prepare/resolveSubscription";
import { readApprovedTokens } from "@dueday/chain/reads/readApprovedTokens";
import { readProtocolState } from "@dueday/chain/reads/readProtocolState";
import { pageRemitPlan } from "@dueday/chain/remit/pageRemitPlan";
import { presentForecast } from "@dueday/chain/remit/presentForecast";
import { readRemitForecast } from "@dueday/chain/remit/readRemitForecast";
import { readRemitPlan } from "@dueday/chain/remit/readRemitPlan";
import { readSubscribers } from "@dueday/chain/subscriptions/readSubscribers";
import { readFeeBalance, readSubscription } from "@dueday/chain/subscriptions/readSubscription";
import { presentTransactionStatus } from "@dueday/chain/transactions/presentTransactionStatus";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { toFrequency } from "@dueday/core/calendar/frequency";
import { requestedDay } from "@dueday/core/calendar/requestedDay";
import { ServiceError } from "@dueday/core/errors";
import { WALK_DAYS } from "@dueday/core/walk/coverage";
import type { DuedayMethods } from "../operationTypes";
import { requireAddress, requireBytes32, requireInteger, requirePage } from "./inputs";
import { answerAt, ignoreAlarm, type LocalChain, type LocalRead } from "./localChain";
import type { LocalOperation } from "./localOperation";
import { readPlanReadiness } from "./readPlanReadiness";

type ReadArguments = Parameters<LocalRead<object>>;
type LocalReads = Pick<DuedayMethods, Exclude<LocalOperation, `prepare${string}`>>;

/** Days that a forecast covers. */
const DAYS_AHEAD = 35;

/** Days after today that the health of an account is about. */
const HEALTH_DAYS = 35;

/** The reads, over the same functions that the service answers with. */
export function localReads(chain: LocalChain): LocalReads {
  const { contract, stateCache, coverage, planCaller } = chain;

  const checkReadiness = (input: { from: string } & SubscriptionReference, simulate: boolean, options: object) => {
    const account = requireAddress("from", input.from);
    const resolve = resolveSubscription(chain.client, {
      contract,
      reference: input,
      read: (client, target) => readSubscribeFacts(client, { ...target, account, coverage, approval: {} }),
    });
    return answerAt(chain, options, async (client, block) =>
      readSubscribeReadiness(client, { facts: await resolve(client, block), contract, block, simulate }),
    );
  };
  const remitReadiness: DuedayMethods["getRemitReadiness"] = async ({ from } = {}, options = {}) => {
    const caller = from === undefined ? planCaller : requireAddress("from", from);
    return answerAt(chain, options, (client, block) => readPlanReadiness(chain, client, { from: caller, block }));
  };

  return {
    async getProtocolState(_ = {}, options = {}) {
      return answerAt(chain, options, (client, block) => readProtocolState(client, { contract, block }));
    },

    async getSubscription(input, options = {}) {
      const id = requireBytes32("id", input.id);
      const read = async (...[client, block]: ReadArguments) => ({
        subscription: await readSubscription(client, { contract, id, block }),
      });
      return answerAt(chain, options, read, readHead);
    },

    async getSubscribers(input, options = {}) {
      const target = { contract, id: requireBytes32("id", input.id), ...requirePage(input) };
      const read = async (...[client, block]: ReadArguments) => {
        const page = await readSubscribers(client, { ...target, block, coverage });
        if (page !== null) return page;
        const message = "The contract can't list these subscribers; the service lists them from its event index";
        throw new ServiceError("UPSTREAM_ERROR", message);
      };
      return answerAt(chain, options, read, readHead);
    },

    async getFeeBalance(input, options = {}) {
      const [id, address] = [requireBytes32("id", input.id), requireAddress("address", input.address)];
      const read = (...[client, block]: ReadArguments) => readFeeBalance(client, { contract, id, address, block });
      return answerAt(chain, options, read, readHead);
    },

    async getAccountSubscriptions(input, options = {}) {
      const { bySubscriber = false } = input;
      const target = {
        contract,
        account: requireAddress("address", input.address),
        bySubscriber,
        ...requirePage(input),
      };
      const read = (...[client, block]: ReadArguments) => readAccountSubscriptions(client, { ...target, block });
      return answerAt(chain, options, read, readHead);
    },

    async getAccount(input, options = {}) {
      const target = { contract, account: requireAddress("address", input.address), ...requirePage(input) };
      return answerAt(chain, options, (client, block) => readAccount(client, { ...target, coverage, block }), readHead);
    },

    async getAccountHealth(input, options = {}) {
      const { days = HEALTH_DAYS } = input;
      const target = {
        contract,
        coverage,
        account: requireAddress("address", input.address),
        days: requireInteger("days", days, 1, WALK_DAYS),
        // Only an event index knows descriptions: plans are named by their terms.
        describe: async () => new Map(),
      };
      return answerAt(chain, options, (client, block) => readAccountHealth(client, { ...target, block }), readHead);
    },

    async listApprovedTokens(_ = {}, options = {}) {
      const { tokens } = chain;
      return answerAt(chain, options, (client, block) => readApprovedTokens(client, { contract, tokens, block }));
    },

    async getApprovedToken(input, options = {}) {
      const tokens = [requireAddress("token", input.token)];
      const read = async (...[client, block]: ReadArguments) => {
        const [token] = (await readApprovedTokens(client, { contract, tokens, block })).tokens;
        if (token === undefined) throw new Error("readApprovedTokens did not return the token");
        return { token };
      };
      return answerAt(chain, options, read, readHead);
    },

    async getSubscriptionsDue(input = {}, options = {}) {
      const { frequency } = input;
      const page = { frequency: frequency === undefined ? undefined : toFrequency(frequency), ...requirePage(input) };
      return answerAt(chain, options, async (client, block) => {
        const day = requestedDay(input) ?? dayNumber(block.timestamp);
        const [found] = await readDueDays(client, {
          contract,
          days: [day],
          block,
          from: planCaller,
          stateCache,
          onAlarm: ignoreAlarm,
          // Only an event index knows what a closed day has charged.
          readSettled: async () => null,
        });
        if (found === undefined) throw new Error(`no due lists were read for day ${day}`);
        return presentDueDay(found, page);
      });
    },

    checkSubscribeReadiness: async (input, options = {}) => checkReadiness(input, true, options),
    checkSubscribeReadinessById: async (input, options = {}) => {
      return checkReadiness({ ...input, id: requireBytes32("id", input.id) }, false, options);
    },

    getRemitReadiness: remitReadiness,
    checkRemitReadiness: remitReadiness,

    async getRemitPlan(input = {}, options = {}) {
      const from = input.from === undefined ? planCaller : requireAddress("from", input.from);
      const page = { from, transaction: input.transaction, prices: input.price, ...requirePage(input) };
      return answerAt(chain, options, async (client, block) =>
        pageRemitPlan(await readRemitPlan(client, { contract, from, block, stateCache, onAlarm: ignoreAlarm }), page),
      );
    },

    async getRemitForecast({ account } = {}, options = {}) {
      const subscriber = account === undefined ? null : requireAddress("account", account);
      return answerAt(chain, options, async (client, block) => {
        const target = { contract, from: planCaller, block, stateCache, daysAhead: DAYS_AHEAD, onAlarm: ignoreAlarm };
        return presentForecast(await readRemitForecast(client, target), subscriber);
      });
    },

    async getTransactionStatus({ txHash }, options = {}) {
      const hash = requireBytes32("txHash", txHash);
      // The newest block of all: the transaction may be in it.
      return answerAt(
        chain,
        options,
        (client, head) => presentTransactionStatus(client, { contract, hash, head }),
        readHead,
      );
    },
  };
}

import { planApprove, readRenewal } from "@dueday/chain/prepare/planApprove";
import { planCancelSubscription } from "@dueday/chain/prepare/planCancelSubscription";
import { planCreateSubscription } from "@dueday/chain/prepare/planCreateSubscription";
import { planEditDetails, requireDetails } from "@dueday/chain/prepare/planEditDetails";
import { planEditProviderProfile, requireProfile } from "@dueday/chain/prepare/planEditProviderProfile";
import { planSubscribe } from "@dueday/chain/prepare/planSubscribe";
import { planUnsubscribe, planUnsubscribeByProvider } from "@dueday/chain/prepare/planUnsubscribe";
import { type Prepare, prepareOnSubscription } from "@dueday/chain/prepare/prepareOnSubscription";
import { prepareRemit } from "@dueday/chain/prepare/prepareRemit";
import { type PrepareInput, prepareTransaction, prepareTransactions } from "@dueday/chain/prepare/prepareTransactions";
import { readApproval } from "@dueday/chain/prepare/readApproval";
import { readApproveFacts, readTokenApproveFacts } from "@dueday/chain/prepare/readApproveFacts";
import { readSubscribeFacts } from "@dueday/chain/prepare/readSubscribeFacts";
import type { SubscriptionReference } from "@dueday/chain/prepare/resolveSubscription";
import { readSubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import { readSubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import { readTokenTerms } from "@dueday/chain/reads/readTokenTerms";
import { toFrequency } from "@dueday/core/calendar/frequency";
import type { CallOptions } from "../callOptions";
import type { DuedayMethods } from "../operationTypes";
import { requireAddress, requireBytes32, requireInteger } from "./inputs";
import { answerAt, type LocalChain } from "./localChain";
import type { LocalOperation } from "./localOperation";
import { readPlanReadiness } from "./readPlanReadiness";

type LocalPrepares = Pick<DuedayMethods, Extract<LocalOperation, `prepare${string}`>>;
type SentInput = {
  from: string;
  readinessOnly?: boolean | undefined;
  simulateFromAddress?: string | undefined;
};

/** The prepares, over the same functions that the service prepares with. Nothing here signs or sends. */
export function localPrepares(chain: LocalChain): LocalPrepares {
  const { client, contract, coverage } = chain;

  async function answerSingle<F extends object>(options: CallOptions, prepare: Prepare<F>) {
    const { asOf, summary, ...answer } = await answerAt(chain, options, (client, block) =>
      prepareTransaction(client, { ...prepare, chain, block }),
    );
    return { summary, requestId: crypto.randomUUID(), ...answer, asOf };
  }

  /** One that can take several transactions. */
  async function answerBatch<F extends object>(options: CallOptions, prepare: Prepare<F>) {
    const { asOf, summary, ...answer } = await answerAt(chain, options, (client, block) =>
      prepareTransactions(client, { ...prepare, chain, block }),
    );
    return { summary, requestId: crypto.randomUUID(), ...answer, asOf };
  }

  const subscribe = (operation: string) => {
    return async (
      given: SentInput &
        SubscriptionReference & { infiniteApproval?: boolean | undefined; approvalPeriods?: number | undefined },
      options = {},
    ) => {
      const approval = readApproval(given);
      const input = checked(given);
      const account = requireAddress("from", input.from);
      const prepare = prepareOnSubscription(client, {
        contract,
        operation,
        input,
        read: (client, target) => readSubscribeFacts(client, { ...target, account, coverage, approval }),
        plan: (facts, block) => planSubscribe({ facts, contract, block }),
      });
      return answerBatch(options, prepare);
    };
  };

  const unsubscribe = (operation: string) => {
    return async (given: SentInput & SubscriptionReference, options = {}) => {
      const input = checked(given);
      const account = requireAddress("from", input.from);
      const prepare = prepareOnSubscription(client, {
        contract,
        operation,
        input,
        read: (client, target) => readSubscriberFacts(client, { ...target, account }),
        plan: (facts) => planUnsubscribe(facts, { contract }),
      });
      return answerSingle(options, prepare);
    };
  };

  const unsubscribeByProvider = (operation: string) => {
    return async (given: SentInput & SubscriptionReference & { subscriber: string }, options = {}) => {
      const input = checked(given);
      const provider = requireAddress("from", input.from);
      const account = requireAddress("subscriber", given.subscriber);
      const prepare = prepareOnSubscription(client, {
        contract,
        operation,
        input,
        read: (client, target) => readSubscriberFacts(client, { ...target, account }),
        plan: (facts) => planUnsubscribeByProvider(facts, { contract, provider }),
      });
      return answerSingle(options, prepare);
    };
  };

  const cancel = (operation: string) => {
    return async (given: SentInput & SubscriptionReference, options = {}) => {
      const input = checked(given);
      const provider = requireAddress("from", input.from);
      const prepare = prepareOnSubscription(client, {
        contract,
        operation,
        input,
        read: readSubscriptionFacts,
        plan: (facts) => planCancelSubscription(facts, { contract, provider }),
      });
      return answerSingle(options, prepare);
    };
  };

  return {
    async prepareCreateSubscription(input, options = {}) {
      const token = requireAddress("token", input.token);
      const dueDay = requireInteger("dueDay", input.dueDay, 1, 365);
      const frequency = toFrequency(requireInteger("frequency", input.frequency, 0, 3));
      const subscription = { ...input, frequency, dueDay };
      return answerSingle(options, {
        operation: "prepare_create_subscription",
        input: prepareInput(input),
        plan: async (client, block) => {
          const terms = await readTokenTerms(client, { contract, token, block });
          return planCreateSubscription({ contract, subscription, terms, block });
        },
      });
    },

    prepareSubscribe: subscribe("prepare_subscribe"),
    prepareSubscribeById: subscribe("prepare_subscribe_by_id"),
    async prepareApprove(given, options = {}) {
      const renewal = readRenewal(given);
      const { wish } = renewal;
      const operation = "prepare_approve";
      const account = requireAddress("from", given.from);
      if ("token" in renewal) {
        const { token } = renewal;
        return answerBatch(options, {
          operation,
          input: prepareInput(given),
          plan: async (client, block) =>
            planApprove(await readTokenApproveFacts(client, { account, coverage, wish, contract, token, block }), {
              contract,
            }),
        });
      }
      const prepare = prepareOnSubscription(client, {
        contract,
        operation,
        input: checked({ ...given, id: renewal.id }),
        read: (client, target) => readApproveFacts(client, { ...target, account, coverage, wish }),
        plan: (facts) => planApprove(facts, { contract }),
      });
      return answerBatch(options, prepare);
    },

    prepareUnsubscribe: unsubscribe("prepare_unsubscribe"),
    prepareUnsubscribeById: unsubscribe("prepare_unsubscribe_by_id"),
    prepareUnsubscribeByProvider: unsubscribeByProvider("prepare_unsubscribe_by_provider"),
    prepareUnsubscribeByProviderById: unsubscribeByProvider("prepare_unsubscribe_by_provider_by_id"),
    prepareCancelSubscription: cancel("prepare_cancel_subscription"),
    prepareCancelSubscriptionById: cancel("prepare_cancel_subscription_by_id"),

    async prepareEditDetails(given, options = {}) {
      const { details } = given;
      const input = checked(given);
      const provider = requireAddress("from", input.from);
      requireDetails(details);
      const prepare = prepareOnSubscription(client, {
        contract,
        operation: "prepare_edit_details",
        input,
        read: readSubscriptionFacts,
        plan: (facts) => planEditDetails(facts, { contract, provider, details }),
      });
      return answerSingle(options, prepare);
    },

    async prepareEditProviderProfile(given, options = {}) {
      const { profile } = given;
      const input = prepareInput(given);
      requireProfile(profile);
      const plan = planEditProviderProfile({ contract, provider: requireAddress("from", input.from), profile });
      return answerSingle(options, { operation: "prepare_edit_provider_profile", input, plan: async () => plan });
    },

    async prepareRemit(given, options = {}) {
      const input = prepareInput(given);
      const from = requireAddress("from", input.from);
      const { asOf, summary, ...answer } = await answerAt(chain, options, async (client, block) => {
        const preflight = await readPlanReadiness(chain, client, { from, block });
        return prepareRemit(client, { operation: "prepare_remit", input, chain, block, preflight, warnings: [] });
      });
      return { summary, requestId: crypto.randomUUID(), ...answer, asOf };
    },
  };
}

/** What every prepare takes, without what is undefined. */
function prepareInput({ from, readinessOnly, simulateFromAddress }: SentInput): PrepareInput {
  return {
    from: requireAddress("from", from),
    ...(readinessOnly === undefined ? {} : { readinessOnly }),
    ...(simulateFromAddress === undefined
      ? {}
      : { simulateFromAddress: requireAddress("simulateFromAddress", simulateFromAddress) }),
  };
}

function checked(input: SentInput & SubscriptionReference): PrepareInput & SubscriptionReference {
  if ("subscription" in input) {
    requireBytes32("subscription.id", input.subscription.id);
    return { ...prepareInput(input), subscription: input.subscription };
  }
  return { ...prepareInput(input), id: requireBytes32("id", input.id) };
}

import type { NamedPlan } from "@dueday/core/amounts/planName";
import type { CheckoutTerms } from "@dueday/core/schemas/checkout";
import type { Address } from "viem";
import type { ChainClient } from "../client/createChainClient";
import type { SubscriptionTarget } from "../reads/readWithPrefetch";
import type { CoverageReader } from "../walk/createCoverageReader";
import type { PlanSubscribeParameters } from "./planSubscribe";
import { readSubscribeFacts, type SubscribeWalkFacts } from "./readSubscribeFacts";
import { subscribeReadiness } from "./readSubscribeReadiness";

export type CheckoutTermsParameters = Omit<SubscriptionTarget, "prefetched"> & {
  /** The payer; null before a wallet is connected. */
  account: Address | null;
  /** Stands for a payer that is not known: an account without tokens and plans, for which the terms are everybody's. */
  stranger: Address;
  coverage: CoverageReader;
};

/**
 * What subscribing costs now, what the plan is named by without its description, and whether `account` can, by the rules of `subscribeReadiness`. Null for an id that the contract does not
 * know. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function readCheckoutTerms(
  client: ChainClient,
  { account, stranger, coverage, ...target }: CheckoutTermsParameters,
): Promise<{ terms: CheckoutTerms; plan: Omit<NamedPlan, "description"> } | null> {
  const { contract, block } = target;
  const facts = await readSubscribeFacts(client, {
    ...target,
    prefetched: null,
    account: account ?? stranger,
    coverage,
    approval: {},
  });
  if (facts === null) return null;
  const { record, token } = facts;
  return { terms: presentTerms(account, { facts, contract, block }), plan: { ...record, token } };
}

function presentTerms(account: Address | null, parameters: PlanSubscribeParameters): CheckoutTerms {
  const { facts } = parameters;
  const { initialCharge, dueBeforeToday, nextChargeDate, nextChargeAmount, nextChargeAmountRaw, ...rest } =
    subscribeReadiness(parameters);
  const { subscription, tokenDecimals, includesApproval: _, ...wallet } = rest;
  return {
    subscription,
    closed: closedBy(facts),
    tokenDecimals,
    initialCharge,
    chargeReason: facts.outlook.reason,
    dueBeforeToday,
    nextChargeDate,
    nextChargeAmount,
    nextChargeAmountRaw,
    payer: account === null ? null : { account, standing: facts.status, ...wallet },
  };
}

function closedBy({ record, tokenPaused, outlook }: SubscribeWalkFacts): CheckoutTerms["closed"] {
  if (record.cancelled) return "cancelled";
  if (tokenPaused) return "token_paused";
  return outlook.isPayable ? null : "not_payable";
}

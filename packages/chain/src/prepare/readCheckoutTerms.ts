import type { NamedPlan } from "@dueday/core/amounts/planName";
import type { CheckoutTerms } from "@dueday/core/schemas/checkout";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import type { SubscriptionTarget } from "../reads/readWithPrefetch";
import type { CoverageReader } from "../walk/createCoverageReader";
import { readSubscribeFacts, type SubscribeWalkFacts } from "./readSubscribeFacts";
import { readSubscribeReadiness } from "./readSubscribeReadiness";

export type CheckoutTermsParameters = Omit<SubscriptionTarget, "prefetched"> & {
  /** The payer; null before a wallet is connected. */
  account: Address | null;
  /** Stands for a payer that is not known: an account without tokens and plans, for which the terms are everybody's. */
  stranger: Address;
  coverage: CoverageReader;
};

/**
 * What subscribing costs now, what the plan is named by without its description, and whether `account` can, by the rules of `readSubscribeReadiness`. Null for an id that the contract does not
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
  return { terms: await presentTerms(client, { facts, contract, block, account }), plan: { ...record, token } };
}

async function presentTerms(
  client: ChainClient,
  parameters: { facts: SubscribeWalkFacts; contract: Address; block: ChainBlock; account: Address | null },
): Promise<CheckoutTerms> {
  const { facts, account } = parameters;
  const { initialCharge, dueBeforeToday, nextChargeDate, nextChargeAmount, nextChargeAmountRaw, ...rest } =
    await readSubscribeReadiness(client, { ...parameters, simulate: false });
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

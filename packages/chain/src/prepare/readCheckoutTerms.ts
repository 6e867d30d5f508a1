import type { NamedPlan } from "@dueday/core/amounts/planName";
import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { dayToDate } from "@dueday/core/calendar/dates";
import { nextDueDay } from "@dueday/core/calendar/nextDueDay";
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
  /** Charges after today that the approval covers; null: the amount of one period is approved. */
  approvalPeriods: number | null;
};

/**
 * What subscribing costs now, whether `account` can subscribe by the rules of `subscribeReadiness`, and the terms that name the plan, without
 * its description. Null for an id that the contract does not know. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function readCheckoutTerms(
  client: ChainClient,
  { account, stranger, coverage, approvalPeriods, ...target }: CheckoutTermsParameters,
): Promise<{ terms: CheckoutTerms; plan: Omit<NamedPlan, "description"> } | null> {
  const { contract, block } = target;
  const facts = await readSubscribeFacts(client, {
    ...target,
    prefetched: null,
    account: account ?? stranger,
    coverage,
    approval: approvalPeriods === null ? {} : { approvalPeriods },
  });
  if (facts === null) return null;
  const { record, token } = facts;
  const terms = presentTerms(account, approvalPeriods, { facts, contract, block });
  return { terms, plan: { ...record, token } };
}

function presentTerms(
  account: Address | null,
  periods: number | null,
  parameters: PlanSubscribeParameters,
): CheckoutTerms {
  const { facts } = parameters;
  // The initial charge spends part of the default approval, the amount of one period, and the rest covers no charge. An approval for
  // `periods` also covers the due days of the past.
  const charges = periods === null ? 0 : periods + facts.outlook.dueBeforeToday;
  // An account that is subscribed already approves nothing here.
  const approval = facts.status === "active" ? null : facts.outlook.approval;
  const { initialCharge, dueBeforeToday, nextChargeDate, nextChargeAmount, nextChargeAmountRaw, ...rest } =
    subscribeReadiness(parameters);
  const { subscription, includesApproval: _, ...wallet } = rest;
  const { tokenDecimals } = wallet;
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
    approval: approval === null ? null : amountFields(approval, tokenDecimals),
    cover: coverOf(facts, { account, charges: approval === null ? null : charges }),
    payer: account === null ? null : { account, standing: facts.status, ...wallet },
  };
}

/** How long approval and balance last, by the one that ends first. @param charges those that a new approval covers; null: the allowance stays as it is */
function coverOf(
  { record, outlook }: SubscribeWalkFacts,
  { account, charges }: { account: Address | null; charges: number | null },
): CheckoutTerms["cover"] {
  const { runway, nextChargeDay } = outlook;
  const byApproval = charges ?? runway.periodsByAllowance;
  const byBalance = account === null ? byApproval : runway.periodsByBalance;
  const covered = Math.min(byApproval, byBalance);
  let day = nextChargeDay;
  for (let charge = 1; charge < covered; charge++) day = nextDueDay(record.frequency, record.dueDay, day + 1);
  return {
    charges: covered,
    lastDate: covered === 0 ? null : dayToDate(day),
    endedBy: byBalance < byApproval ? "balance" : "approval",
  };
}

function closedBy({ record, tokenPaused, outlook }: SubscribeWalkFacts): CheckoutTerms["closed"] {
  if (record.cancelled) return "cancelled";
  if (tokenPaused) return "token_paused";
  return outlook.isPayable ? null : "not_payable";
}

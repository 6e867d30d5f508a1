import { formatUnits } from "@dueday/core/amounts/decimalText";
import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { validationError, type Warning } from "@dueday/core/errors";
import { protocolRefusal, type Refusal } from "@dueday/core/refusal";
import type { ApproveFacts as ApproveAnswer } from "@dueday/core/schemas/preflight";
import { type Address, getAddress, isAddress } from "viem";
import { presentSubscription } from "../reads/presentSubscription";
import type { SubscriberStatus } from "../reads/readSubscriberStatus";
import { approveWays } from "./planSubscribe";
import type { PreparePlan } from "./preparePlan";
import { type GivenApproval, MOST_APPROVAL_PERIODS, type RenewalWish, readApproval } from "./readApproval";
import type { ApproveFacts } from "./readApproveFacts";
import { summaries } from "./summaries";

/** `status` is that of the account in the plan, where a plan was named. */
type PlanApproveFacts = ApproveFacts & { status?: SubscriberStatus };

/**
 * approve() by a subscriber. The new allowance covers all charges within `approvalPeriods` periods; with `exact`, only that number of payments
 * of one plan; with `infiniteApproval` it is unlimited.
 */
export function planApprove(facts: PlanApproveFacts, { contract }: { contract: Address }): PreparePlan<ApproveAnswer> {
  const { record, token, account, allowance, balance, outlook } = facts;
  const { decimals } = token;
  const { value, runway } = outlook ?? { value: 0n, runway: { periodsByAllowance: 0, periodsByBalance: 0 } };
  return {
    facts: {
      ...(record && { subscription: presentSubscription(record, token) }),
      token: token.address,
      allowance: formatUnits(allowance, decimals),
      allowanceRaw: allowance.toString(),
      balance: formatUnits(balance, decimals),
      balanceRaw: balance.toString(),
      approval: amountFields(value, decimals).amount,
      approvalRaw: value.toString(),
      tokenDecimals: decimals,
      runway,
    },
    summary: summaries.approve(
      { token: token.address, tokenSymbol: token.symbol, tokenDecimals: decimals },
      { account, value },
    ),
    refusals: refusalsOf(facts),
    warnings: warningsOf(facts, value),
    ways: approveWays(facts, contract, value),
    afterwards:
      "The new allowance replaces the old one. It is one allowance for all subscriptions of this wallet in this token.",
  };
}

function refusalsOf({ record, status = "active", outlook, token }: PlanApproveFacts): Refusal[] {
  const refusals: Refusal[] = [];
  if (record === null) {
    return [
      protocolRefusal("9", `This wallet pays no subscription in ${token.symbol}: subscribing includes the approve.`),
    ];
  }
  if (status !== "active") {
    refusals.push(
      protocolRefusal("9", "This wallet is not subscribed to this subscription: subscribing includes the approve."),
    );
  }
  if (record.cancelled) refusals.push(protocolRefusal("23"));
  if (refusals.length === 0 && outlook === null) refusals.push(protocolRefusal("9"));
  return refusals;
}

function warningsOf({ record, token, allowance, balance }: PlanApproveFacts, value: bigint): Warning[] {
  const warnings: Warning[] = [];
  if (value < allowance) {
    const present = `${formatUnits(allowance, token.decimals)} ${token.symbol}`;
    const message = `The present allowance of ${present} is higher: this approve lowers it, for all subscriptions in this token.`;
    warnings.push({ code: "LOWERS_ALLOWANCE", message });
  }
  if (record !== null && balance < toTokenUnits(record.amount, token.decimals)) {
    const message =
      "The balance does not cover one payment of a subscription in this token; top it up before that is due.";
    warnings.push({ code: "LOW_BALANCE", message });
  }
  return warnings;
}

export type GivenRenewal = GivenApproval & {
  id?: string | undefined;
  token?: string | undefined;
  exact?: boolean | undefined;
};

/** What an approve renews: the plan with this id, or all that the wallet pays in this token. */
export type Renewal = { wish: RenewalWish } & ({ id: string } | { token: Address });

/** The requested renewal. @throws ServiceError VALIDATION_ERROR unless it names periods or asks for an unlimited approval, and names an id or a token */
export function readRenewal({ id, token, exact, ...given }: GivenRenewal): Renewal {
  const approval = readApproval(given);
  if (approval.approvalPeriods === undefined && approval.infiniteApproval !== true) {
    throw validationError(
      "approvalPeriods",
      "REQUIRED",
      `is required: the number of periods to approve, 1 to ${MOST_APPROVAL_PERIODS}; or send infiniteApproval: true`,
    );
  }
  const wish = exact === undefined ? approval : { ...approval, exact };
  if (id !== undefined) {
    if (token === undefined) return { wish, id };
    throw validationError("token", "CONTRADICTION", "must not be sent with id; send one of the two");
  }
  if (token === undefined) {
    throw validationError(
      "id",
      "REQUIRED",
      "is required: the subscription to renew; or send token for all that the wallet pays in it",
    );
  }
  if (exact === true) {
    throw validationError(
      "exact",
      "CONTRADICTION",
      "must not be sent with token: it approves for one subscription alone, named by id",
    );
  }
  if (!isAddress(token, { strict: false }))
    throw validationError("token", "MALFORMED", "must be an address: 0x and 40 hex digits");
  return { wish, token: getAddress(token) };
}

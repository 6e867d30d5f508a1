import { formatUnits } from "@dueday/core/amounts/decimalText";
import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { validationError, type Warning } from "@dueday/core/errors";
import { protocolRefusal, type Refusal } from "@dueday/core/refusal";
import type { ApproveFacts } from "@dueday/core/schemas/preflight";
import { type Address, maxUint256 } from "viem";
import { presentSubscription } from "../reads/presentSubscription";
import type { SubscriberFacts } from "../reads/readSubscriberFacts";
import { coveredPeriods } from "./judgeSubscribe";
import { approveWays } from "./planSubscribe";
import type { PreparePlan } from "./preparePlan";
import { type ApprovalWish, readApproval } from "./readApproval";
import { summaries } from "./summaries";

/** approve() by a subscriber: the allowance becomes that of `approvalPeriods` payments, or unlimited. */
export function planApprove(
  facts: SubscriberFacts,
  { contract, wish }: { contract: Address; wish: ApprovalWish },
): PreparePlan<ApproveFacts> {
  const { record, token, account, allowance, balance } = facts;
  const { decimals } = token;
  const amount = toTokenUnits(record.amount, decimals);
  const wanted = wish.infiniteApproval === true ? maxUint256 : amount * BigInt(wish.approvalPeriods ?? 1);
  const value = wanted < maxUint256 ? wanted : maxUint256;
  const periods = (units: bigint) => coveredPeriods({ units, charge: 0n, amount });
  return {
    facts: {
      subscription: presentSubscription(record, token),
      allowance: formatUnits(allowance, decimals),
      allowanceRaw: allowance.toString(),
      balance: formatUnits(balance, decimals),
      balanceRaw: balance.toString(),
      approval: amountFields(value, decimals).amount,
      approvalRaw: value.toString(),
      tokenDecimals: decimals,
      runway: { periodsByAllowance: periods(value), periodsByBalance: periods(balance) },
    },
    summary: summaries.approve(
      { token: token.address, tokenSymbol: token.symbol, tokenDecimals: decimals },
      { account, value },
    ),
    token,
    refusals: refusalsOf(facts),
    warnings: warningsOf(facts, { value, amount }),
    ways: approveWays(facts, contract, value),
    afterwards:
      "The new allowance replaces the old one. It is one allowance for all subscriptions of this wallet in this token.",
  };
}

function refusalsOf({ record, status }: SubscriberFacts): Refusal[] {
  const refusals: Refusal[] = [];
  if (status !== "active") {
    refusals.push(
      protocolRefusal("9", "This wallet is not subscribed to it: preparing a subscribe includes the approve."),
    );
  }
  if (record.cancelled) refusals.push(protocolRefusal("23"));
  return refusals;
}

function warningsOf(
  { token, allowance, balance }: SubscriberFacts,
  { value, amount }: { value: bigint; amount: bigint },
): Warning[] {
  const warnings: Warning[] = [];
  if (value < allowance) {
    const present = `${formatUnits(allowance, token.decimals)} ${token.symbol}`;
    const message = `The present allowance of ${present} is higher: this approve lowers it, for all subscriptions in this token.`;
    warnings.push({ code: "LOWERS_ALLOWANCE", message });
  }
  if (balance < amount) {
    const message =
      "The balance does not cover the next payment, whatever the allowance is; top it up before it is due.";
    warnings.push({ code: "LOW_BALANCE", message });
  }
  return warnings;
}

/** The approval that a renewal asks for. @throws ServiceError VALIDATION_ERROR where it is none, or not one of both */
export function readRenewal(given: Parameters<typeof readApproval>[0]): ApprovalWish {
  const wish = readApproval(given);
  if (wish.approvalPeriods !== undefined || wish.infiniteApproval === true) return wish;
  throw validationError(
    "approvalPeriods",
    "REQUIRED",
    "is required: the number of payments to approve, 1 to 120; or send infiniteApproval: true",
  );
}

import { formatUnits } from "@dueday/core/amounts/decimalText";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { WarningCode } from "@dueday/core/codes";
import type { Warning } from "@dueday/core/errors";
import { protocolRefusal, type Refusal } from "@dueday/core/refusal";
import type { SubscribeFacts } from "@dueday/core/schemas/subscribeReadiness";
import type { ChainBlock } from "../block/chainBlock";
import { presentSubscription } from "../reads/presentSubscription";
import { MOST_APPROVAL_PERIODS } from "./readApproval";
import type { SubscribeWalkFacts } from "./readSubscribeFacts";

export type JudgeSubscribeParameters = { facts: SubscribeWalkFacts; block: ChainBlock };

export type SubscribeJudgement = {
  facts: SubscribeFacts;
  /** The first matters most: rules of the protocol, in the order of the contract's checks, then a missing balance. */
  refusals: Refusal[];
  warnings: Warning[];
  /** Token units to approve before subscribing; null where the allowance is enough. */
  approval: bigint | null;
};

/** Whether an account can subscribe, what it pays at once, and how many periods its means cover (protocol parts 4 and 7). */
export function judgeSubscribe({ facts, block }: JudgeSubscribeParameters): SubscribeJudgement {
  const { record, token, allowance, balance, outlook } = facts;
  const { decimals } = token;
  const { amount, toFeeBalance, toProvider, total, dueBeforeToday, approval, runway, nextChargeDay } = outlook;
  return {
    facts: {
      needsApproval: allowance < amount,
      includesApproval: approval !== null,
      ...amountPair("allowance", allowance, decimals),
      ...amountPair("balance", balance, decimals),
      ...amountPair("requiredAmount", amount, decimals),
      tokenDecimals: decimals,
      initialCharge: {
        ...amountPair("total", total, decimals),
        ...amountPair("toFeeBalance", toFeeBalance, decimals),
        ...amountPair("toProvider", toProvider, decimals),
        tokenDecimals: decimals,
      },
      dueBeforeToday,
      nextChargeDate: dayToDate(nextChargeDay),
      ...amountPair("nextChargeAmount", amount, decimals),
      runway,
      subscription: presentSubscription(record, token),
    },
    refusals: refusalsOf(facts),
    warnings: warningsOf(facts, dayNumber(block.timestamp)),
    approval,
  };
}

function refusalsOf(facts: SubscribeWalkFacts): Refusal[] {
  const { record, token, tokenPaused, account, balance, status } = facts;
  const { isPayable, amount, total } = facts.outlook;
  const refusals: Refusal[] = [];
  if (tokenPaused) refusals.push(protocolRefusal("20"));
  if (!isPayable) {
    const message = `The amount is more than ${token.symbol} can express: with its ${token.decimals} decimals no payment can be made.`;
    refusals.push({ issue: { code: "TOO_LARGE", message } });
  }
  if (account === record.provider) refusals.push(protocolRefusal("0"));
  if (status === "active") refusals.push(protocolRefusal("25"));
  if (record.cancelled) refusals.push(protocolRefusal("23"));
  // Last, because a top-up does not help an account that a rule refuses.
  if (isPayable && balance < amount) {
    const inTokens = (units: bigint) => `${formatUnits(units, token.decimals)} ${token.symbol}`;
    const rule =
      total < amount
        ? `Subscribing takes ${inTokens(total)} now, but the contract wants the wallet to hold a whole period, ${inTokens(amount)}`
        : `Subscribing takes ${inTokens(amount)} now`;
    refusals.push(protocolRefusal("10", `${rule}; it holds ${inTokens(balance)}: top it up.`));
  }
  return refusals;
}

function warningsOf({ record, token, allowance, balance, outlook }: SubscribeWalkFacts, today: number): Warning[] {
  const { amount, total, dueBeforeToday, approval, sharedFailure } = outlook;
  const warnings: Warning[] = [];
  const warn = (code: WarningCode, message: string) => warnings.push({ code, message });
  const inTokens = (units: bigint) => `${formatUnits(units, token.decimals)} ${token.symbol}`;
  if ((approval ?? allowance) < total + amount) {
    warn(
      "ONE_PERIOD_APPROVAL",
      `The allowance of ${inTokens(approval ?? allowance)} lasts until ${firstCharge(outlook.nextChargeDay, today)}: the ` +
        "initial charge spends part of it, so it does not cover the first remit, which would then fail and unsubscribe the wallet. " +
        `Send approvalPeriods (1 to ${MOST_APPROVAL_PERIODS}, for example 12) to cover the charges of this number of periods besides the initial charge.`,
    );
  }
  if (sharedFailure !== null) {
    const { plan, dayNumber: day } = sharedFailure;
    warn(
      "SHARED_ALLOWANCE",
      `One allowance of ${inTokens(approval ?? allowance)} serves all that this wallet pays in ${token.symbol}: on ${dayToDate(day) ?? "the first due day"} it does not ` +
        `cover the ${inTokens(toTokenUnits(plan.amount, token.decimals))} of ${plan.id === record.id ? "this subscription" : `subscription ${plan.id}`}, which would then end. ` +
        `Send approvalPeriods (1 to ${MOST_APPROVAL_PERIODS}) to approve enough for all of them.`,
    );
  }
  if (balance >= amount && balance < total + amount) {
    warn(
      "LOW_BALANCE",
      "After the initial charge the balance does not cover the first remit; top it up before it is due.",
    );
  }
  if (dueBeforeToday > 0) {
    warn(
      "LATE_REMIT",
      `remit() has not yet settled ${dueBeforeToday} due day(s) up to today: each will still charge one whole amount.`,
    );
  }
  return warnings;
}

/** The date of the first remit after subscribing, or that it is late. */
function firstCharge(day: number, today: number): string {
  return day <= today ? "the next remit(), which is due now" : (dayToDate(day) ?? "the first due day");
}

/** An amount in whole tokens and in token units, under its name. */
function amountPair<const N extends string>(name: N, units: bigint, decimals: number) {
  const pair = { [name]: formatUnits(units, decimals), [`${name}Raw`]: units.toString() };
  return pair as Record<N | `${N}Raw`, string>; // computed keys lose their names in TypeScript
}

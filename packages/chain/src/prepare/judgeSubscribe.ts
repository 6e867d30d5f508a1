import { formatUnits } from "@dueday/core/amounts/decimalText";
import { saturate } from "@dueday/core/amounts/saturate";
import { fitsTokenUnits, toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { countDueDays } from "@dueday/core/calendar/countDueDays";
import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { initialCharge } from "@dueday/core/calendar/initialCharge";
import { nextChargeDay } from "@dueday/core/calendar/nextChargeDay";
import type { WarningCode } from "@dueday/core/codes";
import type { Warning } from "@dueday/core/errors";
import { protocolRefusal, type Refusal } from "@dueday/core/refusal";
import type { SubscribeFacts } from "@dueday/core/schemas/subscribeReadiness";
import { maxUint256 } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import { presentSubscription } from "../reads/presentSubscription";
import type { SubscriberFacts } from "../reads/readSubscriberFacts";
import { type ApprovalWish, MOST_APPROVAL_PERIODS } from "./readApproval";

export type JudgeSubscribeParameters = {
  facts: SubscriberFacts;
  block: ChainBlock;
  approval: ApprovalWish;
};

export type SubscribeJudgement = {
  facts: SubscribeFacts;
  /** The first matters most: rules of the protocol, in the order of the contract's checks, then a missing balance. */
  refusals: Refusal[];
  warnings: Warning[];
  /** Token units to approve before subscribing; null where the allowance is enough. */
  approval: bigint | null;
};

/** Token units. `isPayable`: the contract can convert the amount into them. */
type Figures = {
  isPayable: boolean;
  amount: bigint;
  toFeeBalance: bigint;
  toProvider: bigint;
  total: bigint;
  dueBeforeToday: number;
};

/** Whether an account can subscribe, what it pays at once, and how many periods its means cover (protocol parts 4 and 7). */
export function judgeSubscribe({ facts, block, approval: wish }: JudgeSubscribeParameters): SubscribeJudgement {
  const { record, token, allowance, balance } = facts;
  const { decimals } = token;
  const today = dayNumber(block.timestamp);
  const figures = figuresOf(facts, today);
  const { amount, toFeeBalance, toProvider, total, dueBeforeToday } = figures;
  const approval = approvalOf(facts, figures, wish);
  const periods = (units: bigint) => coveredPeriods({ units, charge: total, amount });
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
      runway: { periodsByAllowance: periods(allowance), periodsByBalance: periods(balance) },
      subscription: presentSubscription(record, token),
    },
    refusals: refusalsOf(facts, figures),
    warnings: warningsOf(facts, figures, { approval, today }),
    approval,
  };
}

function figuresOf({ record, token, callerFee, nextUncheckedDay }: SubscriberFacts, today: number): Figures {
  const { frequency, dueDay } = record;
  const charge = initialCharge({ amount: record.amount, frequency, dueDay, callerFee, today, nextUncheckedDay });
  // The contract converts each part on its own, so the total is the sum of what is rounded down.
  const toFeeBalance = toTokenUnits(charge.toFeeBalance, token.decimals);
  const toProvider = toTokenUnits(charge.toProvider, token.decimals);
  return {
    isPayable: fitsTokenUnits(record.amount, token.decimals),
    amount: toTokenUnits(record.amount, token.decimals),
    toFeeBalance,
    toProvider,
    total: toFeeBalance + toProvider,
    dueBeforeToday: countDueDays({ frequency, dueDay, from: nextUncheckedDay, to: today }),
  };
}

function approvalOf(
  { allowance }: SubscriberFacts,
  { isPayable, amount, total }: Figures,
  { infiniteApproval = false, approvalPeriods }: ApprovalWish,
): bigint | null {
  // No allowance could be as high.
  if (!isPayable) return null;
  if (infiniteApproval) return allowance < amount + total ? maxUint256 : null;
  if (approvalPeriods === undefined) return allowance < amount ? amount : null;
  const wanted = total + amount * BigInt(approvalPeriods);
  if (allowance >= wanted) return null;
  return wanted < maxUint256 ? wanted : maxUint256;
}

function refusalsOf(facts: SubscriberFacts, { isPayable, amount }: Figures): Refusal[] {
  const { record, token, tokenPaused, account, balance, status } = facts;
  const refusals: Refusal[] = [];
  if (tokenPaused) refusals.push(protocolRefusal("20"));
  if (!isPayable) {
    const message = `The amount is more than ${token.symbol} can express: with its ${token.decimals} decimals no payment can be made.`;
    refusals.push({ issue: { code: "TOO_LARGE", message } });
  }
  if (account === record.provider) refusals.push(protocolRefusal("0"));
  if (status === "active") refusals.push(protocolRefusal("25"));
  if (record.cancelled) refusals.push(protocolRefusal("23"));
  // To top up would help nobody whom a rule refuses.
  if (isPayable && balance < amount) {
    const has = `${formatUnits(balance, token.decimals)} ${token.symbol}`;
    const needs = `${formatUnits(amount, token.decimals)} ${token.symbol}`;
    refusals.push(protocolRefusal("10", `The wallet holds ${has} and needs ${needs}; top it up.`));
  }
  return refusals;
}

function warningsOf(
  { record, token, allowance, balance, nextUncheckedDay }: SubscriberFacts,
  figures: Figures,
  { approval, today }: { approval: bigint | null; today: number },
): Warning[] {
  const { amount, total, dueBeforeToday } = figures;
  const warnings: Warning[] = [];
  const warn = (code: WarningCode, message: string) => warnings.push({ code, message });
  if ((approval ?? allowance) < total + amount) {
    warn(
      "ONE_PERIOD_APPROVAL",
      `The allowance of ${formatUnits(approval ?? allowance, token.decimals)} ${token.symbol} lasts until ${firstCharge(record, nextUncheckedDay, today)}: the ` +
        "initial charge spends part of it, so it does not cover the first remit, which would then fail and unsubscribe the wallet. " +
        `Send approvalPeriods (1 to ${MOST_APPROVAL_PERIODS}, for example 12) to cover that many payments besides the initial charge.`,
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
function firstCharge(
  { frequency, dueDay }: SubscriberFacts["record"],
  nextUncheckedDay: number,
  today: number,
): string {
  const day = nextChargeDay({ frequency, dueDay, nextUncheckedDay });
  return day <= today ? "the next remit(), which is due now" : (dayToDate(day) ?? "the first due day");
}

/** An amount in whole tokens and in token units, under its name. */
function amountPair<const N extends string>(name: N, units: bigint, decimals: number) {
  const pair = { [name]: formatUnits(units, decimals), [`${name}Raw`]: units.toString() };
  return pair as Record<N | `${N}Raw`, string>; // computed keys lose their names in TypeScript
}

type CoveredPeriodsParameters = {
  /** An allowance or a balance, token units. */
  units: bigint;
  /** Paid first: the initial charge, token units. */
  charge: bigint;
  /** Amount of one period, token units. */
  amount: bigint;
};

/** Whole periods that `units` pays for after `charge`, cut to 2^53 - 1; an amount of 0 is covered without limit. */
export function coveredPeriods({ units, charge, amount }: CoveredPeriodsParameters): number {
  if (units < charge) return 0;
  return amount === 0n ? Number.MAX_SAFE_INTEGER : saturate((units - charge) / amount);
}

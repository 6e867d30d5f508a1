import { greater, lesser } from "@dueday/core/amounts/lesser";
import { fitsTokenUnits, toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { countDueDays } from "@dueday/core/calendar/countDueDays";
import { type ChargeReason, type InitialCharge, initialCharge } from "@dueday/core/calendar/initialCharge";
import { nextChargeDay } from "@dueday/core/calendar/nextChargeDay";
import type { RemitState, RemitSubscription } from "@dueday/core/remit/state";
import { INFINITE_ALLOWANCE } from "@dueday/core/remit/tokenLedger";
import { MOST_COVERED_PAYMENTS } from "@dueday/core/walk/coverage";
import { lastDayOfPeriods, neededAllowance } from "@dueday/core/walk/neededAllowance";
import { type CoverageWalk, walkCoverage } from "@dueday/core/walk/walkCoverage";
import { walkCured } from "@dueday/core/walk/walkCured";
import { withSubscriber } from "@dueday/core/walk/withSubscriber";
import type { SubscriberFacts } from "../reads/readSubscriberFacts";
import { PLENTY } from "./foreseeApprove";
import type { ApprovalWish } from "./readApproval";

/** What subscribing takes now, and how it shares allowance and balance with what the account pays already. Token units. */
export type SubscribeOutlook = {
  /** False where the contract can't convert the amount into token units: then `approval` is null and `runway` is 0. */
  isPayable: boolean;
  /** The amount of one period. */
  amount: bigint;
  toFeeBalance: bigint;
  toProvider: bigint;
  /** What subscribe() takes at once. */
  total: bigint;
  reason: ChargeReason;
  /** Due days up to today that a late remit() will still charge. */
  dueBeforeToday: number;
  /** Day number of the first charge after the initial one. */
  nextChargeDay: number;
  /** What to approve before subscribing; null where the allowance is enough. */
  approval: bigint | null;
  runway: { periodsByAllowance: number; periodsByBalance: number };
  /** The first charge within one period of the new plan that the allowance does not cover, although it covers the new plan alone; null for none. */
  sharedFailure: { dayNumber: number; plan: RemitSubscription } | null;
};

/** Models the account's coming charges with the new plan among them. */
export async function foreseeSubscribe(
  facts: SubscriberFacts,
  { state, estimated }: CoverageWalk,
  wish: ApprovalWish,
): Promise<SubscribeOutlook> {
  const { record, token, account, allowance, balance, nextUncheckedDay, callerFee } = facts;
  const { frequency, dueDay, id } = record;
  const { today } = state;
  const charge = initialCharge({ amount: record.amount, frequency, dueDay, callerFee, today, nextUncheckedDay });
  // The contract converts each part on its own, so the total is the sum of what is rounded down.
  const toFeeBalance = toTokenUnits(charge.toFeeBalance, token.decimals);
  const toProvider = toTokenUnits(charge.toProvider, token.decimals);
  const amount = toTokenUnits(record.amount, token.decimals);
  const total = toFeeBalance + toProvider;
  const figures = { amount, toFeeBalance, toProvider, total, reason: charge.reason };
  if (!fitsTokenUnits(record.amount, token.decimals)) {
    return {
      ...figures,
      isPayable: false,
      approval: null,
      sharedFailure: null,
      dueBeforeToday: countDueDays({ frequency, dueDay, from: nextUncheckedDay, to: today }),
      nextChargeDay: nextChargeDay({ frequency, dueDay, nextUncheckedDay }),
      runway: { periodsByAllowance: 0, periodsByBalance: 0 },
    };
  }
  const joined = (holding: { allowance: bigint; balance: bigint }) => join(state, facts, charge, holding);
  const periodsWith = async (holding: { allowance: bigint; balance: bigint }) => {
    if (holding.allowance < total || holding.balance < total) return 0;
    if (holding.allowance === INFINITE_ALLOWANCE && holding.balance === PLENTY) return MOST_COVERED_PAYMENTS;
    return (await walkCoverage(joined(holding), { estimated })).coverageOf(id, account).coveredPayments;
  };
  const present = joined({ allowance, balance });
  const { charges, throughDay } = await walkCured(present, account, 0);
  const open = charges.filter((each) => each.id === id);
  const nextDay = open[0]?.dayNumber ?? nextChargeDay({ frequency, dueDay, nextUncheckedDay: throughDay + 1 });
  const approval = await approvalOf(facts, { present, amount, total }, wish);
  return {
    ...figures,
    isPayable: true,
    // Due days that remit() can't reach now are still to be charged.
    dueBeforeToday: open.length + countDueDays({ frequency, dueDay, from: throughDay + 1, to: today }),
    nextChargeDay: nextDay,
    approval,
    runway: {
      periodsByAllowance: await periodsWith({ allowance, balance: PLENTY }),
      periodsByBalance: await periodsWith({ allowance: INFINITE_ALLOWANCE, balance }),
    },
    sharedFailure: await sharedFailure(facts, { joined, allowance: approval ?? allowance, least: total + amount }),
  };
}

function join(
  state: RemitState,
  { record, token, tokenPaused, account, feeBalance, status }: SubscriberFacts,
  charge: Pick<InitialCharge, "toFeeBalance" | "toProvider">,
  holding: { allowance: bigint; balance: bigint },
): RemitState {
  const terms = { decimals: token.decimals, paused: tokenPaused };
  const isActive = status === "active";
  return withSubscriber(state, {
    subscription: { ...record, subscribers: [], unsubscribed: [] },
    account,
    holding,
    token: terms,
    // An account that is subscribed already can't subscribe again, so it pays no initial charge.
    charge: isActive ? { toFeeBalance: 0n, toProvider: 0n } : charge,
    feeBalance,
  });
}

async function approvalOf(
  { record, account, allowance }: SubscriberFacts,
  { present, amount, total }: { present: RemitState; amount: bigint; total: bigint },
  { infiniteApproval = false, approvalPeriods }: ApprovalWish,
): Promise<bigint | null> {
  if (infiniteApproval) return allowance < amount + total ? INFINITE_ALLOWANCE : null;
  if (approvalPeriods === undefined) return allowance < amount ? amount : null;
  const { token } = record;
  const throughDay = lastDayOfPeriods(present, record, approvalPeriods);
  const needed = total + (await neededAllowance(present, { account, token, throughDay }));
  // The contract asks for a whole period, whatever the initial charge is.
  const wanted = greater(needed, amount);
  if (allowance >= wanted) return null;
  return lesser(wanted, INFINITE_ALLOWANCE);
}

async function sharedFailure(
  { record, account }: SubscriberFacts,
  {
    joined,
    allowance,
    least,
  }: { joined: (holding: { allowance: bigint; balance: bigint }) => RemitState; allowance: bigint; least: bigint },
): Promise<SubscribeOutlook["sharedFailure"]> {
  if (allowance < least || allowance === INFINITE_ALLOWANCE) return null;
  const state = joined({ allowance, balance: PLENTY });
  const { failures } = await walkCoverage(state);
  const throughDay = lastDayOfPeriods(state, record, 1);
  const failure = failures.find(
    ({ subscriber, id, cause, dayNumber }) =>
      subscriber === account &&
      cause === "allowance" &&
      dayNumber <= throughDay &&
      state.subscriptions.get(id)?.token === record.token,
  );
  const plan = failure && state.subscriptions.get(failure.id);
  return failure === undefined || plan === undefined ? null : { dayNumber: failure.dayNumber, plan };
}

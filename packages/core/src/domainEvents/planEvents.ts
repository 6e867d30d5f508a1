import { type Address, getAddress, type Hex } from "viem";
import { amountFields, type TokenInfo } from "../amounts/tokenAmount";
import { toTokenUnits } from "../amounts/tokenUnits";
import { dayToDate, timestampToIso } from "../calendar/dates";
import { FILL_PARTS } from "../remit/charge";
import type { Forecast } from "../remit/forecastRemits";
import type { RemitState, RemitSubscription } from "../remit/state";
import type { RemitReadiness } from "../snapshots/remitReadiness";
import type { EventData, EventOf, PlanEventType } from "./domainEvent";
import { type ForecastPayment, planEventId } from "./eventId";

/** The block that a plan or a forecast is of. */
export type EventBlockFacts = { number: bigint; hash: Hex; timestamp: bigint; finalized: boolean };

type PlanStateType = "remit.due" | "remit.blocked" | "remit.caught_up";

const stateOf: Record<RemitReadiness["reason"], PlanStateType> = {
  due: "remit.due",
  blocked: "remit.blocked",
  caught_up: "remit.caught_up",
  nothing_due: "remit.caught_up",
};

/** The event of a plan, to be written where its type differs from that of the plan before. */
export function planStateEvent(chainId: number, block: EventBlockFacts, plan: RemitReadiness) {
  const { currentDay, nextUncheckedDay, totalSubscriptions, totalPayments, expectedFailures, expectedTransactions } =
    plan;
  return planEvent(chainId, block, stateOf[plan.reason], {
    ...{ currentDay, nextUncheckedDay, totalSubscriptions, totalPayments, expectedFailures, expectedTransactions },
    callerFees: plan.economics.callerFees,
    ...(plan.blockedBy && { blockedBy: plan.blockedBy }),
  });
}

/**
 * Events of the payments that will fail: the first failing payment of each subscriber and subscription in a forecast, as balances and
 * allowances run down until then.
 */
export function willFailEvents(
  chainId: number,
  block: EventBlockFacts,
  { forecast, state, tokens }: { forecast: Forecast; state: RemitState; tokens: ReadonlyMap<Address, TokenInfo> },
): EventOfWillFail[] {
  const seen = new Set<string>();
  return withShortfalls(forecast.payments ?? [], state).flatMap(({ payment, shortfall, units }) => {
    const subscription = state.subscriptions.get(payment.id);
    const name = `${payment.id} ${payment.subscriber}`;
    if (subscription === undefined || shortfall === 0n || seen.has(name)) return [];
    seen.add(name);
    const token = tokens.get(subscription.token) ?? { address: subscription.token, symbol: "", decimals: 18 };
    const data = {
      ...{ id: payment.id, provider: getAddress(subscription.provider), subscriber: getAddress(payment.subscriber) },
      ...{ token: token.address, tokenSymbol: token.symbol },
      ...{ dayNumber: payment.dayNumber, dueDate: dayToDate(payment.dayNumber), outcome: payment.outcome },
      due: amountFields(units, token.decimals),
      shortfall: amountFields(shortfall, token.decimals),
    };
    return [planEvent(chainId, block, "payment.will_fail", data, data)];
  });
}

type EventOfWillFail = Omit<EventOf<"payment.will_fail">, "seq">;

/** What each failing payment lacks, token units: the holdings of its subscriber, less what the payments before it take. */
function withShortfalls(payments: NonNullable<Forecast["payments"]>, state: RemitState) {
  const taken = new Map<string, bigint>();
  return payments.flatMap((payment) => {
    const subscription = state.subscriptions.get(payment.id);
    const token = subscription && state.tokens.get(subscription.token);
    if (subscription === undefined || token === undefined) return [];
    const units = toTokenUnits(subscription.amount, token.decimals);
    const payer = `${subscription.token} ${payment.subscriber}`;
    const used = taken.get(payer) ?? 0n;
    if (payment.outcome === "paid" || payment.outcome === "fee_fill") {
      taken.set(payer, used + (payment.outcome === "paid" ? units : feeFillUnits(subscription, token.decimals)));
      return [];
    }
    if (payment.outcome !== "fails_allowance" && payment.outcome !== "fails_balance") return [];
    const { balance, allowance } = token.holdings.get(payment.subscriber) ?? { balance: 0n, allowance: 0n };
    const held = balance < allowance ? balance : allowance;
    const left = held > used ? held - used : 0n;
    return [{ payment, units, shortfall: units > left ? units - left : 0n }];
  });
}

/** What a payment that tops up the fee balance takes: its two parts are rounded on their own. */
function feeFillUnits({ amount, frequency }: RemitSubscription, decimals: number): bigint {
  const parts = FILL_PARTS[frequency];
  return toTokenUnits(amount / parts, decimals) + toTokenUnits((amount / parts) * (parts - 1n), decimals);
}

function planEvent<T extends PlanEventType>(
  chainId: number,
  { number, hash, timestamp, finalized }: EventBlockFacts,
  type: T,
  data: EventData<T>,
  payment?: ForecastPayment,
) {
  return {
    id: planEventId(chainId, { blockHash: hash, type, ...(payment && { payment }) }),
    type,
    chainId,
    timestamp: timestampToIso(timestamp) ?? "",
    block: { number: number.toString(), hash, timestamp: Number(timestamp), finalized },
    data,
  };
}

import { type Address, getAddress, type Hex } from "viem";
import { greater } from "../amounts/lesser";
import { amountFields, type TokenInfo } from "../amounts/tokenAmount";
import { toTokenUnits } from "../amounts/tokenUnits";
import { dayToDate, timestampToIso } from "../calendar/dates";
import type { Forecast } from "../remit/forecastFromPlan";
import type { RemitState } from "../remit/state";
import type { RemitReadiness } from "../snapshots/remitReadiness";
import type { EventData, EventOf, PlanEventType } from "./domainEvent";
import { type ForecastPayment, planEventId } from "./eventId";

/** The block that a plan or a forecast was computed at: the head at the time of the scan. */
export type EventBlockFacts = { number: bigint; hash: Hex; timestamp: bigint };

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
    currentDay,
    nextUncheckedDay,
    totalSubscriptions,
    totalPayments,
    expectedFailures,
    expectedTransactions,
    callerFees: plan.economics.callerFees,
    ...(plan.blockedBy && { blockedBy: plan.blockedBy }),
  });
}

/**
 * Events of the payments that fail in a forecast, which takes earlier payments from balances and allowances. A failed
 * payment unsubscribes, so there is at most one event for each subscriber of a subscription.
 */
export function willFailEvents(
  chainId: number,
  block: EventBlockFacts,
  { forecast, state, tokens }: { forecast: Forecast; state: RemitState; tokens: ReadonlyMap<Address, TokenInfo> },
): EventOfWillFail[] {
  return (forecast.payments ?? []).flatMap((payment) => {
    const { lack } = payment;
    const subscription = state.subscriptions.get(payment.id);
    if (subscription === undefined || lack === null) return [];
    const token = tokens.get(subscription.token) ?? { address: subscription.token, symbol: "", decimals: 18 };
    const shortfall = greater(lack.allowance, lack.balance);
    const data = {
      id: payment.id,
      provider: getAddress(subscription.provider),
      subscriber: getAddress(payment.subscriber),
      token: token.address,
      tokenSymbol: token.symbol,
      dayNumber: payment.dayNumber,
      dueDate: dayToDate(payment.dayNumber),
      outcome: payment.outcome,
      due: amountFields(toTokenUnits(subscription.amount, token.decimals), token.decimals),
      shortfall: amountFields(shortfall, token.decimals),
      horizonDays: forecast.days.length,
    };
    return [planEvent(chainId, block, "payment.will_fail", data, data)];
  });
}

type EventOfWillFail = Omit<EventOf<"payment.will_fail">, "seq">;

function planEvent<T extends PlanEventType>(
  chainId: number,
  { number, hash, timestamp }: EventBlockFacts,
  type: T,
  data: EventData<T>,
  payment?: ForecastPayment,
) {
  return {
    id: planEventId(chainId, { blockHash: hash, type, ...(payment && { payment }) }),
    type,
    chainId,
    timestamp: timestampToIso(timestamp) ?? "",
    block: {
      number: number.toString(),
      hash,
      timestamp: Number(timestamp),
      finality: "latest" as const,
      finalized: false,
    },
    data,
  };
}

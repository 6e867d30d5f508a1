import { formatUnits } from "@dueday/core/amounts/decimalText";
import { type TokenInfo, tokenAmount } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayToDate } from "@dueday/core/calendar/dates";
import { frequencyLabel, lastDueDay } from "@dueday/core/calendar/frequency";
import { DUE_LIST_LIMIT } from "@dueday/core/paging";
import type {
  DayState,
  DueDay,
  DueList,
  DueState,
  DueSubscription,
  MissedTotals,
  NotChargeable,
  SettledTotals,
} from "@dueday/core/snapshots/dueDay";
import type { Address, Hex } from "viem";
import { type DueDayFacts, type DueDayPlan, planOfDay } from "./dueDayPlan";
import { expectToken } from "./expectToken";
import { presentSubscription } from "./presentSubscription";
import type { DueIds } from "./readDueLists";
import type { TokenInfos } from "./readTokenInfos";

/** A due subscription, with the figures that its day's totals are made of. */
type Due = { shown: DueSubscription; token: TokenInfo; amount: bigint; payments: number; failures: number };

/** One day of the `due` snapshot from what was read. Totals cover every id, `subscriptions` the first DUE_LIST_LIMIT. */
export function buildDueDay(day: number, dueIds: readonly DueIds[], facts: DueDayFacts): DueDay {
  const plan = planOfDay(day, facts);
  const due = dueIds.map((list) => ({ list, entries: list.ids.map((id) => dueEntry(id, plan, facts)) }));
  const all = due.flatMap(({ entries }) => entries);
  const open = all.filter(({ payments }) => payments > 0);
  return {
    dayNumber: day,
    date: dayToDate(day),
    dayState: dayStateOf(day, plan, facts),
    lists: due.map(({ list, entries }) => dueList(list, entries)),
    totals: {
      subscriptions: open.length,
      payments: sum(open.map(({ payments }) => payments)),
      expectedFailures: sum(open.map(({ failures }) => failures)),
      byToken: openByToken(open),
    },
    settled: plan.charges === null ? null : settledTotals(plan.charges, facts.tokens),
    missed: missedTotals(plan.isClosed ? [...plan.missed.values()] : all.flatMap(missedOf), facts.tokens),
  };
}

function dayStateOf(day: number, { isClosed, charges, isPaged }: DueDayPlan, { today }: DueDayFacts): DayState {
  if (isClosed) return "settled";
  if (day > today) return "upcoming";
  return isPaged || (charges !== null && charges.size > 0) ? "partly_settled" : "open";
}

function dueList({ frequency, dueDay, ids }: DueIds, entries: readonly Due[]): DueList {
  const last = lastDueDay(frequency);
  const label = frequencyLabel(frequency);
  const skipped = dueDay > last;
  return {
    frequency,
    frequencyLabel: label,
    dueDay,
    skipped,
    ...(skipped ? { skipReason: `A ${label.toLowerCase()} subscription is due on day ${last} at the latest` } : {}),
    count: ids.length,
    subscriptions: entries.slice(0, DUE_LIST_LIMIT).map(({ shown }) => shown),
  };
}

function dueEntry(id: Hex, plan: DueDayPlan, facts: DueDayFacts): Due {
  const record = facts.records.get(id);
  if (record === undefined) throw new Error(`subscription ${id} was not read`);
  const token = expectToken(facts.tokens, record.token);
  const { subscribers, payments, failures, state, reason } = standing(id, plan, facts);
  return {
    shown: {
      ...presentSubscription(record, token),
      ...{ subscribers, state, payments, chargeable: payments > 0 },
      ...(reason === undefined ? {} : { reason }),
    },
    token,
    amount: record.amount,
    payments,
    failures,
  };
}

type Standing = {
  subscribers: number;
  payments: number;
  failures: number;
  state: DueState;
  reason?: NotChargeable;
};

const NOTHING = { payments: 0, failures: 0 };

/** What a day has done, or will do, with one id of its due lists. */
function standing(id: Hex, plan: DueDayPlan, { records, pausedTokens, activeCounts }: DueDayFacts): Standing {
  const record = records.get(id);
  const charged = plan.charges?.get(id)?.payments ?? 0;
  const missed = plan.missed.get(id)?.subscribers ?? 0;
  const isPaused = record !== undefined && pausedTokens.has(record.token);
  if (plan.isClosed) {
    const isMissed = charged === 0 && missed > 0;
    return {
      ...NOTHING,
      subscribers: isMissed ? missed : charged,
      state: isMissed ? "missed" : "settled",
      reason: "day_settled",
    };
  }
  const state = plan.isUpcoming ? "upcoming" : "open";
  const subscribers = activeCounts.get(id) ?? 0;
  const open = { ...NOTHING, subscribers, state } as const;
  if (record?.cancelled) return { ...open, reason: "cancelled" };
  if (isPaused) return { ...open, reason: "token_paused" };
  if (subscribers === 0) return { ...open, reason: "no_subscribers" };
  const planned = plan.payments === null ? { payments: subscribers, failures: 0 } : plan.payments.get(id);
  if (planned !== undefined && planned.payments > 0) return { ...open, ...planned };
  if (missed > 0) return { ...open, subscribers: missed, state: "missed", reason: "missed" };
  if (charged > 0) return { ...open, state: "settled", reason: "day_settled" };
  if (plan.isBlocked) return { ...open, reason: "blocked" };
  // Nothing else keeps a page from an id with subscribers than that an earlier page went past it.
  return plan.isPaged ? { ...open, state: "missed", reason: "missed" } : { ...open, reason: "no_subscribers" };
}

function missedOf({ shown: { state, subscribers }, token, amount }: Due): Missed[] {
  return state === "missed" ? [{ token: token.address, amount, subscribers }] : [];
}

type Missed = { token: Address; amount: bigint; subscribers: number };

function openByToken(open: readonly Due[]): DueDay["totals"]["byToken"] {
  const byToken = Map.groupBy(open, ({ token }) => token);
  return [...byToken].map(([token, due]) => ({
    ...tokenAmount(token, total(due, token)),
    subscriptions: due.length,
    payments: sum(due.map(({ payments }) => payments)),
  }));
}

function settledTotals(charges: NonNullable<DueDayPlan["charges"]>, tokens: TokenInfos): SettledTotals {
  const byToken = Map.groupBy(charges.values(), ({ token }) => token);
  const all = [...charges.values()];
  return {
    payments: sum(all.map(({ payments }) => payments)),
    failures: sum(all.map(({ failures }) => failures)),
    byToken: [...byToken].map(([address, own]) => {
      const token = expectToken(tokens, address);
      const failed = units(own, token, ({ failures }) => failures);
      return {
        ...tokenAmount(token, total(own, token)),
        payments: sum(own.map(({ payments }) => payments)),
        failures: sum(own.map(({ failures }) => failures)),
        failedAmount: formatUnits(failed, token.decimals),
        failedAmountRaw: failed.toString(),
      };
    }),
  };
}

function missedTotals(all: readonly Missed[], tokens: TokenInfos): MissedTotals {
  const byToken = Map.groupBy(all, ({ token }) => token);
  const count = (of: readonly Missed[]) => sum(of.map(({ subscribers }) => subscribers));
  return {
    subscriptions: all.length,
    payments: count(all),
    byToken: [...byToken].map(([address, own]) => {
      const token = expectToken(tokens, address);
      return {
        ...tokenAmount(
          token,
          units(own, token, ({ subscribers }) => subscribers),
        ),
        payments: count(own),
      };
    }),
  };
}

type Priced = { amount: bigint };

/** Token units of the payments that succeed. */
function total(of: readonly (Priced & { payments: number; failures: number })[], token: TokenInfo): bigint {
  return units(of, token, ({ payments, failures }) => payments - failures);
}

function units<T extends Priced>(of: readonly T[], { decimals }: TokenInfo, count: (each: T) => number): bigint {
  return of.reduce((all, each) => all + toTokenUnits(each.amount, decimals) * BigInt(count(each)), 0n);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

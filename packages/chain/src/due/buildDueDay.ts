import { formatUnits } from "@dueday/core/amounts/decimalText";
import { type TokenInfo, tokenAmount } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayToDate } from "@dueday/core/calendar/dates";
import { type Frequency, frequencyLabel, lastDueDay } from "@dueday/core/calendar/frequency";
import { DUE_LIST_LIMIT } from "@dueday/core/paging";
import type { SettledCharge } from "@dueday/core/remit/settledDay";
import { runInSlices } from "@dueday/core/runInSlices";
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
import { expectToken } from "../reads/expectToken";
import { presentSubscription } from "../reads/presentSubscription";
import type { SubscriptionRecord } from "../reads/readSubscriptions";
import type { TokenInfos } from "../reads/readTokenInfos";
import type { DueIds } from "../remit/state/readDueLists";
import { type DueDayFacts, type DueDayPlan, planOfDay } from "./dueDayPlan";

/** A due subscription, with the figures that its day's totals are made of. */
type Due = {
  standing: Standing;
  record: SubscriptionRecord;
  token: TokenInfo;
  /** What the payments that succeed are worth, token units. */
  units: bigint;
};

/**
 * One day of the `due` snapshot from what was read. Totals cover every id, `subscriptions` the first DUE_LIST_LIMIT. Runs in slices of some
 * milliseconds: a day may have a million ids.
 */
export async function buildDueDay(day: number, dueIds: readonly DueIds[], facts: DueDayFacts): Promise<DueDay> {
  const plan = planOfDay(day, facts);
  const ofDay = openSums();
  const lists: DueDay["lists"] = [];
  for (const list of dueIds) {
    const ofList = openSums();
    const shown: DueSubscription[] = [];
    await runInSlices(list.ids.values(), (id) => {
      const due = dueEntry(id, plan, facts);
      ofDay.add(due);
      ofList.add(due);
      if (shown.length < DUE_LIST_LIMIT) shown.push(showDue(due));
    });
    lists.push({ ...dueList(list, shown), ...sumsOf(ofList, plan, facts.tokens, list.frequency) });
  }
  return {
    dayNumber: day,
    date: dayToDate(day),
    dayState: dayStateOf(day, plan, facts),
    lists,
    ...sumsOf(ofDay, plan, facts.tokens),
  };
}

/** The sums of a day, or of its subscriptions of one frequency. */
function sumsOf(
  sums: Sums,
  { charges, missed, isClosed }: DueDayPlan,
  tokens: TokenInfos,
  frequency?: Frequency,
): Pick<DueDay, "totals" | "settled" | "missed"> {
  const isWanted = (each: { frequency: Frequency }) => frequency === undefined || each.frequency === frequency;
  const charged = charges && [...charges.values()].filter(isWanted);
  return {
    totals: sums.totals(),
    settled: charged && settledTotals(charged, tokens),
    missed: missedTotals(isClosed ? [...missed.values()].filter(isWanted) : sums.missed, tokens),
  };
}

/** Sums over the entries of a day or of a list. The entries themselves are not kept, because a day may have a million. */
type Sums = { add(due: Due): void; totals(): DueDay["totals"]; missed: readonly Missed[] };

function openSums(): Sums {
  const byToken = new Map<TokenInfo, { units: bigint; subscriptions: number; payments: number }>();
  const missed: Missed[] = [];
  let [subscriptions, payments, expectedFailures] = [0, 0, 0];
  return {
    missed,
    add({ standing: due, record, token, units: own }) {
      if (due.state === "missed") {
        missed.push({ token: token.address, amount: record.amount, subscribers: due.subscribers });
      }
      if (due.payments === 0) return;
      const ofToken = byToken.get(token) ?? { units: 0n, subscriptions: 0, payments: 0 };
      ofToken.units += own;
      ofToken.subscriptions++;
      ofToken.payments += due.payments;
      byToken.set(token, ofToken);
      subscriptions++;
      payments += due.payments;
      expectedFailures += due.failures;
    },
    totals: () => ({
      subscriptions,
      payments,
      expectedFailures,
      byToken: [...byToken].map(([token, { units, ...counts }]) => ({ ...tokenAmount(token, units), ...counts })),
    }),
  };
}

function dayStateOf(day: number, { isClosed, charges, isPaged }: DueDayPlan, { today }: DueDayFacts): DayState {
  if (isClosed) return "settled";
  if (day > today) return "upcoming";
  return isPaged || (charges !== null && charges.size > 0) ? "partly_settled" : "open";
}

function dueList(
  { frequency, dueDay, ids }: DueIds,
  subscriptions: DueSubscription[],
): Omit<DueList, "totals" | "settled" | "missed"> {
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
    subscriptions,
  };
}

function dueEntry(id: Hex, plan: DueDayPlan, facts: DueDayFacts): Due {
  const record = facts.records.get(id);
  if (record === undefined) throw new Error(`subscription ${id} was not read`);
  const token = expectToken(facts.tokens, record.token);
  const due = standingOf(record, plan, facts);
  const paid = due.payments - due.failures;
  return {
    standing: due,
    record,
    token,
    units: paid === 0 ? 0n : toTokenUnits(record.amount, token.decimals) * BigInt(paid),
  };
}

function showDue({ record, token, standing: { subscribers, state, payments, reason } }: Due): DueSubscription {
  return {
    ...presentSubscription(record, token),
    subscribers,
    state,
    payments,
    chargeable: payments > 0,
    ...(reason === undefined ? {} : { reason }),
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

/** What a day has done, or will do, with one subscription of its due lists. */
function standingOf(
  record: SubscriptionRecord,
  plan: DueDayPlan,
  { pausedTokens, activeCounts }: DueDayFacts,
): Standing {
  const { id } = record;
  const charged = plan.charges?.get(id)?.payments ?? 0;
  const missed = plan.missed.get(id)?.subscribers ?? 0;
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
  if (record.cancelled) return { ...open, reason: "cancelled" };
  if (pausedTokens.has(record.token)) return { ...open, reason: "token_paused" };
  if (subscribers === 0) return { ...open, reason: "no_subscribers" };
  const planned = plan.payments === null ? { payments: subscribers, failures: 0 } : plan.payments.get(id);
  if (planned !== undefined && planned.payments > 0) return { subscribers, state, ...planned };
  if (missed > 0) return { ...open, subscribers: missed, state: "missed", reason: "missed" };
  if (charged > 0) return { ...open, state: "settled", reason: "day_settled" };
  if (plan.isBlocked) return { ...open, reason: "blocked" };
  // With a settled page, the only reason left for an id with subscribers is that this page went past it.
  return plan.isPaged ? { ...open, state: "missed", reason: "missed" } : { ...open, reason: "no_subscribers" };
}

type Missed = { token: Address; amount: bigint; subscribers: number };

function settledTotals(all: readonly SettledCharge[], tokens: TokenInfos): SettledTotals {
  const byToken = Map.groupBy(all, ({ token }) => token);
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

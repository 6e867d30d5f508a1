import { type TokenInfo, tokenAmount } from "@dueday/core/amounts/tokenAmount";
import { dayToDate } from "@dueday/core/calendar/dates";
import { frequencyLabel, lastDueDay } from "@dueday/core/calendar/frequency";
import { DUE_LIST_LIMIT, type DueDay, type DueList, type DueSubscription } from "@dueday/core/snapshots/dueDay";
import type { Address, Hex } from "viem";
import { expectToken } from "./expectToken";
import { presentSubscription } from "./presentSubscription";
import type { DueFacts } from "./readDueFacts";
import type { DueIds } from "./readDueLists";
import type { TokenInfos } from "./readTokenInfos";

/** One day of the `due` snapshot from what was read. Totals cover every id, `subscriptions` the first DUE_LIST_LIMIT. */
export function buildDueDay(day: number, dueIds: readonly DueIds[], facts: DueFacts): DueDay {
  const due = dueIds.map((list) => ({ list, subscriptions: list.ids.map((id) => dueSubscription(id, facts)) }));
  const chargeable = due.flatMap((each) => each.subscriptions).filter((subscription) => subscription.chargeable);
  return {
    dayNumber: day,
    date: dayToDate(day),
    lists: due.map(({ list, subscriptions }) => dueList(list, subscriptions)),
    totals: {
      subscriptions: due.reduce((sum, each) => sum + each.subscriptions.length, 0),
      payments: chargeable.reduce((sum, subscription) => sum + subscription.subscribers, 0),
      byToken: totalsByToken(chargeable, facts.tokens),
    },
  };
}

function dueList({ frequency, dueDay, ids }: DueIds, subscriptions: readonly DueSubscription[]): DueList {
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
    subscriptions: subscriptions.slice(0, DUE_LIST_LIMIT),
  };
}

function dueSubscription(id: Hex, facts: DueFacts): DueSubscription {
  const record = facts.records.get(id);
  if (record === undefined) throw new Error(`subscription ${id} was not read`);
  const token = expectToken(facts.tokens, record.token);
  const subscribers = facts.activeCounts.get(id) ?? 0;
  const reason = record.cancelled
    ? "cancelled"
    : facts.pausedTokens.has(record.token)
      ? "token_paused"
      : subscribers === 0
        ? "no_subscribers"
        : undefined;
  return {
    ...presentSubscription(record, token),
    subscribers,
    chargeable: reason === undefined,
    ...(reason === undefined ? {} : { reason }),
  };
}

function totalsByToken(chargeable: readonly DueSubscription[], tokens: TokenInfos): DueDay["totals"]["byToken"] {
  const sums = new Map<TokenInfo, { units: bigint; subscriptions: number; payments: number }>();
  for (const subscription of chargeable) {
    // The schema knows addresses as text; this one came from the chain, checksummed.
    const token = expectToken(tokens, subscription.token as Address);
    const sum = sums.get(token) ?? { units: 0n, subscriptions: 0, payments: 0 };
    sum.units += BigInt(subscription.amountRaw) * BigInt(subscription.subscribers);
    sum.subscriptions += 1;
    sum.payments += subscription.subscribers;
    sums.set(token, sum);
  }
  return [...sums].map(([token, { units, subscriptions, payments }]) => ({
    ...tokenAmount(token, units),
    subscriptions,
    payments,
  }));
}

import { dueKey } from "@dueday/core/remit/state";
import type { AccountRow, FinalState, FinalSubscription, Reverted } from "@dueday/devnet/replay/scenario";
import { type History, type Subscription, status } from "./history";

/** What the protocol's views would return after a history, in the form of the recordings. Accounts without rows are omitted. */
export function finalState(history: History): FinalState {
  const { nextUncheckedDay, subscriptions, tokens } = history;
  return {
    nextUncheckedDay,
    subscriptions: Object.fromEntries([...subscriptions].map(([id, each]) => [id, viewSubscription(history, each)])),
    accounts: viewAccounts(history),
    balances: Object.fromEntries([...tokens].map(([name, { balances }]) => [name, nonZero(balances)])),
  };
}

function viewSubscription(history: History, subscription: Subscription): FinalSubscription {
  const { amount, provider, token, cancelled, frequency, dueDay } = subscription;
  const due = history.dueLists.get(dueKey(frequency, dueDay)) ?? [];
  const subscribers = viewSubscribers(subscription);
  return { amount: amount.toString(), provider, token, cancelled, frequency, dueDay, subscribers, due };
}

/** getSubscribersById: set size - list size rows, each written at its index in the set (protocol part 7). */
function viewSubscribers({ subscribers, unsubscribed, feeBalances }: Subscription): FinalSubscription["subscribers"] {
  const reverted: Reverted = { revert: true };
  const length = subscribers.length - unsubscribed.length;
  if (length < 0 || subscribers.some((name, index) => index >= length && !unsubscribed.includes(name))) return reverted;
  return subscribers
    .slice(0, length)
    .map((subscriber) => ({ subscriber, feeBalance: String(feeBalances.get(subscriber) ?? 0n) }));
}

function viewAccounts(history: History): FinalState["accounts"] {
  const accounts: FinalState["accounts"] = {};
  const rowsOf = (account: string) => (accounts[account] ??= { subscribedTo: [], created: [] });
  for (const [account, ids] of history.subscribedTo) {
    for (const id of ids) {
      const subscription = history.subscriptions.get(id);
      if (subscription !== undefined)
        rowsOf(account).subscribedTo.push(row(subscription, subscription.statuses.get(account) ?? status.ACTIVE));
    }
  }
  for (const subscription of history.subscriptions.values()) {
    rowsOf(subscription.provider).created.push(
      row(subscription, subscription.cancelled ? status.CANCELLED : status.ACTIVE),
    );
  }
  return accounts;
}

function row({ id, subscribers }: Subscription, code: number): AccountRow {
  return { sub: id, status: code, totalSubscribers: subscribers.length };
}

function nonZero(amounts: Map<string, bigint>): Record<string, string> {
  return Object.fromEntries([...amounts].filter(([, units]) => units > 0n).map(([name, units]) => [name, `${units}`]));
}

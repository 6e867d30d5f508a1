import { subLogCode, subLogEvents } from "@dueday/core/events/subLogEvents";
import { planRemit, traceRemits } from "@dueday/core/remit/planRemit";
import type { RemitEvent } from "@dueday/core/remit/remitEvent";
import type { RemitState, RemitToken } from "@dueday/core/remit/state";
import { stateAfterRemits } from "@dueday/core/test/stateAfterRemits";
import type { RecordedLog } from "@dueday/devnet/replay/scenario";
import type { Address, Hex } from "viem";
import { type History, type Subscription, status, type Token } from "./history";
import { need } from "./refuse";

/** The history as the model of remit() takes it. Names become addresses by a prefix. */
export function toRemitState(history: History, caller: string): RemitState {
  const { dueLists, subscriptions, tokens, cancelLimit, subscribedTo, ...rest } = history;
  return {
    ...rest,
    systemFeeReceiver: named("admin"),
    protocol: named("protocol"),
    caller: named(caller),
    dueLists: new Map([...dueLists].map(([key, ids]) => [key, ids.map(named)])),
    subscriptions: new Map([...subscriptions.values()].map((each) => [named(each.id), toRemitSubscription(each)])),
    tokens: new Map([...tokens].map(([name, token]) => [named(name), toRemitToken(token)])),
  };
}

function toRemitSubscription(subscription: Subscription) {
  const { statuses, feeBalances, ...rest } = subscription;
  return {
    ...rest,
    id: named(rest.id),
    provider: named(rest.provider),
    token: named(rest.token),
    subscribers: rest.subscribers.map((name) => ({
      subscriber: named(name),
      feeBalance: feeBalances.get(name) ?? 0n,
    })),
    unsubscribed: rest.unsubscribed.map(named),
  };
}

function toRemitToken({ decimals, paused, balances, allowances, blocked }: Token): RemitToken {
  const accounts = new Set([...balances.keys(), ...allowances.keys()]);
  accounts.delete("protocol");
  const holding = (name: string) => ({ balance: balances.get(name) ?? 0n, allowance: allowances.get(name) ?? 0n });
  return {
    decimals,
    paused,
    protocolBalance: balances.get("protocol") ?? 0n,
    holdings: new Map([...accounts].map((name) => [named(name), holding(name)])),
    blocked: new Map([...blocked].map((name) => [named(name), "blocked"])),
  };
}

/** One call of remit() by the model: changes the history and returns the events. */
export function remitOnce(history: History, caller: string): RecordedLog[] {
  const before = toRemitState(history, caller);
  const plan = planRemit(before, { maxTransactions: 1 });
  need(plan.transactions.length > 0, plan.revert?.code ?? (plan.end === "caught_up" ? "6" : plan.end));
  const after = stateAfterRemits(before, 1);
  const [logs = []] = traceRemits(before, { maxTransactions: 1 });
  history.nextUncheckedDay = after.nextUncheckedDay;
  history.checkpoint = after.checkpoint;
  for (const [key, ids] of after.dueLists) history.dueLists.set(key, ids.map(nameOf));
  for (const { id, subscribers } of after.subscriptions.values()) {
    const subscription = history.subscriptions.get(nameOf(id));
    if (subscription === undefined) throw new Error(`unknown subscription ${id}`);
    subscription.subscribers = subscribers.map(({ subscriber }) => nameOf(subscriber));
    for (const { subscriber, feeBalance } of subscribers) subscription.feeBalances.set(nameOf(subscriber), feeBalance);
  }
  for (const [address, { protocolBalance, holdings }] of after.tokens) {
    const token = history.tokens.get(nameOf(address));
    token?.balances.set("protocol", protocolBalance);
    for (const [account, { balance, allowance }] of holdings) {
      token?.balances.set(nameOf(account), balance);
      token?.allowances.set(nameOf(account), allowance);
    }
  }
  for (const log of logs) if (log.event === "SubLog") followLeaver(history, log);
  return logs.map(describe);
}

/** The model forgets who has left the set; a later subscribe() may find a status and a fee balance. */
function followLeaver(history: History, log: Extract<RemitEvent, { event: "SubLog" }>): void {
  const subscription = history.subscriptions.get(nameOf(log.id));
  const subscriber = nameOf(log.subscriber);
  if (log.code === subLogCode.Failed) subscription?.statuses.set(subscriber, status.UNSUBSCRIBED);
  if (log.code === subLogCode.ProviderRefund) subscription?.feeBalances.set(subscriber, 0n);
}

/** An event in the form of the recordings. */
function describe(log: RemitEvent): RecordedLog {
  const texts = Object.entries(log).map(([key, value]): [string, string | number | boolean] => {
    if (key === "code") return ["subScriptEvent", subLogEvents[Number(value)]?.contractName ?? ""];
    if (key === "checkedDay" || key === "nextUncheckedDay" || typeof value === "boolean") return [key, value];
    return [key, String(value).replace(/^0x/, "")];
  });
  return { event: log.event, ...Object.fromEntries(texts) };
}

export function named(name: string): Address & Hex {
  return `0x${name}`;
}

export function nameOf(address: Hex): string {
  return address.slice(2);
}

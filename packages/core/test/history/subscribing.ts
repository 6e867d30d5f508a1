import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { initialCharge } from "@dueday/core/calendar/initialCharge";
import { removeFromSet } from "@dueday/core/remit/removeFromSet";
import { dueKey } from "@dueday/core/remit/state";
import type { RecordedLog } from "@dueday/devnet/replay/scenario";
import { type History, type Subscription, status } from "./history";
import { known } from "./providing";
import { need } from "./refuse";
import { subLog, tokenOf, transfer } from "./tokens";

export function isCheckpoint(history: History, id: string): boolean {
  return history.checkpoint?.id === `0x${id}`;
}

/** Protocol part 4, subscribe. */
export function subscribe(history: History, id: string, by: string): RecordedLog[] {
  const subscription = known(history, id);
  const token = tokenOf(history, subscription.token);
  const units = toTokenUnits(subscription.amount, token.decimals);
  need(!token.paused, "20");
  need(!isCheckpoint(history, id), "24");
  need((token.allowances.get(by) ?? 0n) >= units && (token.balances.get(by) ?? 0n) >= units, "10");
  need(subscription.provider !== by, "0");
  need(!isActive(subscription, by), "25");
  need(!subscription.cancelled, "23");

  const charge = initialCharge({ ...subscription, ...history });
  enter(history, subscription, by);
  subscription.feeBalances.set(by, (subscription.feeBalances.get(by) ?? 0n) + charge.toFeeBalance);
  const logs = [
    subLog(subscription, by, subscription.amount, "SUBSCRIBED"),
    subLog(subscription, by, charge.toFeeBalance, "FEEFILL"),
    transfer(history, subscription, by, "protocol", charge.toFeeBalance),
  ];
  if (charge.toProvider > 0n) {
    logs.push(
      subLog(subscription, by, charge.toProvider, "PROVPAID"),
      transfer(history, subscription, by, subscription.provider, charge.toProvider),
    );
  }
  return logs;
}

/** Protocol part 4, unsubscribe: a stranger's first call succeeds as well. */
export function unsubscribe(history: History, id: string, by: string): RecordedLog[] {
  const subscription = known(history, id);
  need(subscription.statuses.get(by) !== status.UNSUBSCRIBED, "3");
  const { logs, balance } = leave(history, subscription, by);
  return [
    ...logs,
    subLog(subscription, by, balance, "PROVREFUND"),
    transfer(history, subscription, "protocol", subscription.provider, balance),
  ];
}

/** Protocol part 4, unsubscribeByProvider. */
export function unsubscribeByProvider(history: History, id: string, by: string, subscriber: string): RecordedLog[] {
  const subscription = known(history, id);
  need(subscription.statuses.get(subscriber) !== status.UNSUBSCRIBED, "3");
  need(subscription.provider === by, "8");
  need(isActive(subscription, subscriber), "9");
  const { logs, balance } = leave(history, subscription, subscriber);
  return [...logs, transfer(history, subscription, "protocol", subscriber, balance)];
}

function isActive({ subscribers, unsubscribed }: Subscription, account: string): boolean {
  return subscribers.includes(account) && !unsubscribed.includes(account);
}

function enter(history: History, subscription: Subscription, by: string): void {
  const { id, subscribers, unsubscribed, frequency, dueDay } = subscription;
  const key = dueKey(frequency, dueDay);
  const due = history.dueLists.get(key) ?? [];
  if (subscribers.length === 0 && !due.includes(id)) history.dueLists.set(key, [...due, id]);
  drop(unsubscribed, by);
  if (!subscribers.includes(by)) subscribers.push(by);
  subscription.statuses.set(by, status.ACTIVE);
  const rows = history.subscribedTo.get(by) ?? [];
  if (!rows.includes(id)) history.subscribedTo.set(by, [...rows, id]);
}

function leave(history: History, subscription: Subscription, subscriber: string) {
  const { id, subscribers, unsubscribed, feeBalances, statuses, amount } = subscription;
  const balance = feeBalances.get(subscriber) ?? 0n;
  const logs: RecordedLog[] = [];
  statuses.set(subscriber, status.UNSUBSCRIBED);
  feeBalances.set(subscriber, 0n);
  if (isCheckpoint(history, id)) {
    unsubscribed.push(subscriber);
    logs.push({ event: "UList", id, subscriber });
  } else {
    drop(subscribers, subscriber);
  }
  return { balance, logs: [...logs, subLog(subscription, subscriber, amount, "UNSUBSCRIBED")] };
}

/** Removes a name from a list that represents a set; false where the list did not have the name. */
export function drop(set: string[], name: string): boolean {
  const index = set.indexOf(name);
  if (index >= 0) removeFromSet(set, index);
  return index >= 0;
}

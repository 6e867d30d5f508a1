import { callerAmount } from "@dueday/core/amounts/callerAmount";
import type { RecordedLog } from "@dueday/devnet/replay/scenario";
import { type History, status } from "./history";
import { known } from "./providing";
import { need } from "./refuse";
import { drop, isCheckpoint } from "./subscribing";
import { subLog, tokenOf, transfer } from "./tokens";

export function pauseToken(history: History, name: string, pause: boolean): RecordedLog[] {
  const token = tokenOf(history, name);
  need(pause || token.paused, "");
  token.paused = pause;
  return [];
}

/** Protocol part 4, cleanupCancelledSubscribers. */
export function cleanupCancelledSubscribers(history: History, id: string): RecordedLog[] {
  const subscription = known(history, id);
  const { subscribers, unsubscribed, feeBalances, statuses, amount } = subscription;
  need(subscription.cancelled, "");
  need(subscribers.length > 0, "22");
  const logs: RecordedLog[] = [];
  let shares = 0n;
  for (const subscriber of subscribers.slice(-history.cancelLimit).reverse()) {
    subscribers.pop();
    if (drop(unsubscribed, subscriber)) continue;
    const balance = feeBalances.get(subscriber) ?? 0n;
    const share = history.systemFeeActive ? callerAmount(balance, history.systemFee) : 0n;
    feeBalances.set(subscriber, 0n);
    statuses.set(subscriber, status.CANCELLED);
    shares += share;
    logs.push(
      subLog(subscription, subscriber, amount, "UNSUBSCRIBED"),
      subLog(subscription, subscriber, amount, "SUBREFUND"),
      transfer(history, subscription, "protocol", subscriber, balance - share),
    );
  }
  if (history.systemFeeActive) logs.push(transfer(history, subscription, "protocol", "admin", shares));
  return logs;
}

/** Protocol part 4, cleanUnsubscribeList. */
export function cleanUnsubscribeList(history: History, id: string): RecordedLog[] {
  const { subscribers, unsubscribed } = known(history, id);
  need(!isCheckpoint(history, id), "");
  need(unsubscribed.length > 0, "22");
  for (const subscriber of unsubscribed.splice(-history.cancelLimit).reverse()) drop(subscribers, subscriber);
  return [];
}

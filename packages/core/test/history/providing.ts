import { lastDueDay, toFrequency } from "@dueday/core/calendar/frequency";
import type { CallStep, RecordedLog } from "@dueday/devnet/replay/scenario";
import type { History, Subscription } from "./history";
import { need } from "./refuse";
import { subLog, tokenOf } from "./tokens";

type StepOf<Op extends CallStep["op"]> = Extract<CallStep, { op: Op }>;

/** The subscription of that name; one that was never created reads as unknown (3). */
export function known(history: History, id: string): Subscription {
  const subscription = history.subscriptions.get(id);
  need(subscription !== undefined, "3");
  return subscription;
}

export function createSubscription(history: History, step: StepOf<"createSubscription">): RecordedLog[] {
  const token = tokenOf(history, step.token);
  const frequency = toFrequency(step.frequency);
  need(token.approved, "5");
  need(!token.paused, "20");
  need(step.dueDay >= 1 && step.dueDay <= lastDueDay(frequency), String(14 + frequency));
  need(BigInt(step.amount) >= token.minimum, "18");
  const subscription: Subscription = {
    id: step.as ?? "unnamed",
    amount: BigInt(step.amount),
    provider: step.by,
    token: step.token,
    cancelled: false,
    frequency,
    dueDay: step.dueDay,
    subscribers: [],
    unsubscribed: [],
    feeBalances: new Map(),
    statuses: new Map(),
  };
  history.subscriptions.set(subscription.id, subscription);
  return [detailsLog(subscription, step), subLog(subscription, "zero", subscription.amount, "CREATE")];
}

export function editDetails(history: History, step: StepOf<"editDetails">): RecordedLog[] {
  const subscription = history.subscriptions.get(step.sub);
  return subscription?.provider === step.by ? [detailsLog(subscription, step)] : [];
}

export function cancelSubscription(history: History, id: string, by: string): RecordedLog[] {
  const subscription = known(history, id);
  need(subscription.provider === by, "13");
  need(!subscription.cancelled, "23");
  subscription.cancelled = true;
  return [subLog(subscription, "zero", 0n, "CANCEL")];
}

function detailsLog({ id, provider }: Subscription, { url, description }: { url: string; description: string }) {
  return { event: "DetailsLog", id, provider, url, description };
}

import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import type { RecordedLog } from "@dueday/devnet/replay/scenario";
import type { History, Subscription, Token } from "./history";
import { need } from "./refuse";

export function tokenOf(history: History, name: string): Token {
  const token = history.tokens.get(name);
  if (token === undefined) throw new Error(`unknown token ${name}`);
  return token;
}

/** Moves `amount` (18 decimals) of the subscription's token. Whatever does not come from the protocol spends an allowance. */
export function transfer(
  history: History,
  subscription: Subscription,
  from: string,
  to: string,
  amount: bigint,
): RecordedLog {
  const token = tokenOf(history, subscription.token);
  const value = toTokenUnits(amount, token.decimals);
  need(!token.blocked.has(from) && !token.blocked.has(to), "blocked");
  if (from !== "protocol") change(token.allowances, from, -value);
  change(token.balances, from, -value);
  change(token.balances, to, value);
  return { event: "Transfer", token: subscription.token, from, to, value: value.toString() };
}

function change(amounts: Map<string, bigint>, account: string, by: bigint): void {
  const after = (amounts.get(account) ?? 0n) + by;
  need(after >= 0n, "too few tokens");
  amounts.set(account, after);
}

export function subLog(
  { id, provider, token }: Subscription,
  subscriber: string,
  amount: bigint,
  subScriptEvent: string,
): RecordedLog {
  return { event: "SubLog", id, provider, subscriber, amount: amount.toString(), token, subScriptEvent };
}

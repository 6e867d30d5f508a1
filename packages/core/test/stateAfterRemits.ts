import { toFrequency } from "@dueday/core/calendar/frequency";
import { remit } from "@dueday/core/remit/remit";
import { openCall } from "@dueday/core/remit/remitCall";
import { dueKey, type RemitState, type RemitSubscription, type RemitToken } from "@dueday/core/remit/state";
import { WorkingState } from "@dueday/core/remit/workingState";
import type { Address, Hex } from "viem";

/**
 * The state that `transactions` calls of remit() leave behind, at most as many as `planRemit` found. `state` is not changed.
 * Throws RemitRevert where one of them reverts.
 */
export function stateAfterRemits(state: RemitState, transactions: number): RemitState {
  const working = new WorkingState(state);
  for (let index = 0; index < transactions; index++)
    remit(openCall(working, index, { withEvents: false, withGas: false }));
  return stateOf(working);
}

function stateOf(working: WorkingState): RemitState {
  const { origin, nextUncheckedDay, checkpoint } = working;
  const dueLists = new Map<number, Hex[]>();
  const subscriptions = new Map<Hex, RemitSubscription>();
  const tokens = new Map<Address, RemitToken>();
  for (const key of origin.dueLists.keys()) {
    const [frequency, dueDay] = [toFrequency(Math.floor(key / 1000)), key % 1000];
    if (dueKey(frequency, dueDay) !== key) throw new Error("the keys of due lists have another form");
    dueLists.set(key, [...working.dueList(frequency, dueDay)]);
  }
  for (const [id, subscription] of origin.subscriptions) {
    subscriptions.set(id, { ...subscription, subscribers: working.set(subscription).subscribers });
  }
  const { caller, protocol, systemFeeReceiver } = origin;
  for (const [address, token] of origin.tokens) {
    const accounts = new Set([...token.holdings.keys(), caller, systemFeeReceiver]);
    for (const each of subscriptions.values()) if (each.token === address) accounts.add(each.provider);
    const ledger = working.ledger(address);
    const holdings = new Map([...accounts].map((account) => [account, { ...ledger.holdingOf(account) }] as const));
    tokens.set(address, { ...token, holdings, protocolBalance: ledger.holdingOf(protocol).balance });
  }
  return { ...origin, nextUncheckedDay, checkpoint, dueLists, subscriptions, tokens };
}

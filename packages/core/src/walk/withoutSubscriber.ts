import type { Address, Hex } from "viem";
import { toTokenUnits } from "../amounts/tokenUnits";
import { ChangedMap } from "../remit/changedMap";
import { removeFromSet } from "../remit/removeFromSet";
import type { RemitState, RemitSubscription } from "../remit/state";

/**
 * The state after `account` has left a subscription by unsubscribe() (protocol part 4): removed from the set, or on the
 * unsubscribed list while the id is the page checkpoint, and with its fee balance paid to the provider. The same state
 * where the account is not subscribed.
 */
export function withoutSubscriber(state: RemitState, id: Hex, account: Address): RemitState {
  const subscription = state.subscriptions.get(id);
  const index = subscription?.subscribers.findIndex(({ subscriber }) => subscriber === account) ?? -1;
  const entry = subscription?.subscribers[index];
  if (subscription === undefined || entry === undefined || subscription.unsubscribed.includes(account)) return state;
  const subscriptions = new ChangedMap(state.subscriptions, new Map([[id, leave(state, subscription, index)]]));
  const token = state.tokens.get(subscription.token);
  if (token === undefined) return { ...state, subscriptions };
  const refund = toTokenUnits(entry.feeBalance, token.decimals);
  const income = token.holdings.get(subscription.provider) ?? { balance: 0n, allowance: 0n };
  const paid = { ...income, balance: income.balance + refund };
  const holdings = new ChangedMap(token.holdings, new Map([[subscription.provider, paid]]));
  const after = { ...token, holdings, protocolBalance: token.protocolBalance - refund };
  return { ...state, subscriptions, tokens: new Map(state.tokens).set(subscription.token, after) };
}

function leave({ checkpoint }: RemitState, subscription: RemitSubscription, index: number): RemitSubscription {
  const { id, subscribers, unsubscribed } = subscription;
  const entry = subscribers[index];
  if (entry === undefined) return subscription;
  const cleared = { ...entry, feeBalance: 0n };
  // While the id is the page checkpoint, the set keeps its order.
  if (checkpoint?.id === id) {
    return {
      ...subscription,
      subscribers: subscribers.with(index, cleared),
      unsubscribed: [...unsubscribed, entry.subscriber],
    };
  }
  const rest = [...subscribers];
  removeFromSet(rest, index);
  return { ...subscription, subscribers: rest };
}

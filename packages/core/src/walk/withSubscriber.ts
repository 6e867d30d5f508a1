import type { Address } from "viem";
import { toTokenUnits } from "../amounts/tokenUnits";
import { ChangedMap } from "../remit/changedMap";
import { dueKey, type Holding, type RemitState, type RemitSubscription, type RemitToken } from "../remit/state";
import { INFINITE_ALLOWANCE } from "../remit/tokenLedger";

export type JoinParameters = {
  subscription: RemitSubscription;
  account: Address;
  /** What the account holds before it subscribes, token units. */
  holding: Holding;
  /** Decimals of the token, and whether the protocol has paused it. */
  token: Pick<RemitToken, "decimals" | "paused">;
  /** What subscribe() takes, 18 decimals; `toFeeBalance` is added to `feeBalance`. */
  charge: { toFeeBalance: bigint; toProvider: bigint };
  /** The fee balance that is left from before, 18 decimals. */
  feeBalance: bigint;
};

/**
 * The state after `account` has subscribed (protocol part 4): with its place in the set, the id in its due list, and
 * the transfers of the initial charge.
 */
export function withSubscriber(
  state: RemitState,
  { subscription, account, holding, token, charge, feeBalance }: JoinParameters,
): RemitState {
  const { id, frequency, dueDay, provider } = subscription;
  const known = state.subscriptions.get(id) ?? { ...subscription, subscribers: [], unsubscribed: [] };
  const entry = { subscriber: account, feeBalance: feeBalance + charge.toFeeBalance };
  const isReturning = known.subscribers.some(({ subscriber }) => subscriber === account);
  const joined = {
    ...known,
    // An account that is still on the unsubscribed list keeps its place in the set.
    subscribers: isReturning
      ? known.subscribers.map((each) => (each.subscriber === account ? entry : each))
      : [...known.subscribers, entry],
    unsubscribed: known.unsubscribed.filter((each) => each !== account),
  };
  const key = dueKey(frequency, dueDay);
  const list = state.dueLists.get(key) ?? [];
  const dueLists = list.includes(id) ? state.dueLists : new Map(state.dueLists).set(key, [...list, id]);
  const subscriptions = new ChangedMap(state.subscriptions, new Map([[id, joined]]));

  const toProtocol = toTokenUnits(charge.toFeeBalance, token.decimals);
  const toProvider = toTokenUnits(charge.toProvider, token.decimals);
  const before: RemitToken = state.tokens.get(subscription.token) ?? {
    ...token,
    protocolBalance: toTokenUnits(feeBalance, token.decimals),
    holdings: new Map(),
    blocked: new Map(),
  };
  const income = before.holdings.get(provider) ?? { balance: 0n, allowance: 0n };
  const paid = [provider, { ...income, balance: income.balance + toProvider }] as const;
  const changes = new Map([paid, [account, spent(holding, toProtocol + toProvider)]]);
  const holdings = new ChangedMap(before.holdings, changes);
  const after = { ...before, protocolBalance: before.protocolBalance + toProtocol, holdings };
  return { ...state, dueLists, subscriptions, tokens: new Map(state.tokens).set(subscription.token, after) };
}

/** The state with another balance or allowance of `account` in a token. */
export function withHolding(state: RemitState, token: Address, account: Address, change: Partial<Holding>): RemitState {
  const known = state.tokens.get(token);
  if (known === undefined) return state;
  const holding = known.holdings.get(account) ?? { balance: 0n, allowance: 0n };
  const holdings = new ChangedMap(known.holdings, new Map([[account, { ...holding, ...change }]]));
  return { ...state, tokens: new Map(state.tokens).set(token, { ...known, holdings }) };
}

function spent({ balance, allowance }: Holding, units: bigint): Holding {
  const rest = (held: bigint) => (held > units ? held - units : 0n);
  return { balance: rest(balance), allowance: allowance === INFINITE_ALLOWANCE ? allowance : rest(allowance) };
}

import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { dueDayOf, FREQUENCIES } from "@dueday/core/calendar/frequency";
import { dueKey, type RemitState, type RemitSubscription } from "@dueday/core/remit/state";
import { type Address, type Hex, zeroAddress } from "viem";
import type { ChainSettings } from "./chainSettings";
import type { Book } from "./createBook";

/** A map whose values are worked out when they are asked for. It has no size. */
class Lookup<K, V> extends Map<K, V> {
  constructor(private readonly find: (key: K) => V | undefined) {
    super();
  }

  override get(key: K): V | undefined {
    return this.find(key);
  }
}

export type RemitStateParameters = {
  book: Book;
  settings: ChainSettings;
  block: number;
  /** Day number of the calls. */
  today: number;
  caller: Address;
};

/** What the model needs of the state after `block`. Nothing is copied: a plan's first calls look at a small part of a large book. */
export function remitStateAt({ book, settings, block, today, caller }: RemitStateParameters): RemitState {
  const { nextUncheckedDay, maxRemits, callerFee, systemFee, contract, token } = settings;
  const dueLists = new Map<number, readonly Hex[]>();
  for (let day = nextUncheckedDay; day <= today; day++) {
    for (const frequency of FREQUENCIES) {
      const dueDay = dueDayOf(calendarDay(day), frequency);
      const { length, at } = book.dueList(frequency, dueDay, block);
      dueLists.set(
        dueKey(frequency, dueDay),
        lazyList(length, (position) => book.idAt(at(position))),
      );
    }
  }
  const subscription = (id: Hex): RemitSubscription | undefined => {
    const place = book.placeOf(id, block);
    if (place === undefined) return undefined;
    const { subscriber, subscribed, feeBalance, balance: _, allowance: __, ...record } = book.at(place, block);
    const subscribers = subscribed ? [{ subscriber, feeBalance }] : [];
    return { ...record, token: token.address, subscribers, unsubscribed: [] };
  };
  const holding = (account: Address) => {
    const place = book.placeOfSubscriber(account, block);
    const entry = place === undefined ? undefined : book.at(place, block);
    if (entry?.subscriber === account) return { balance: entry.balance, allowance: entry.allowance };
    return { balance: token.balances.get(account.toLowerCase()) ?? 0n, allowance: 0n };
  };
  const { decimals, balances } = token;
  const protocolBalance = balances.get(contract.toLowerCase()) ?? 0n;
  const ofToken = { decimals, paused: false, protocolBalance, holdings: new Lookup(holding), blocked: new Map() };
  return {
    today,
    nextUncheckedDay,
    maxRemits,
    callerFee,
    systemFee,
    systemFeeActive: false,
    systemFeeReceiver: zeroAddress,
    protocol: contract,
    caller,
    checkpoint: null,
    dueLists,
    subscriptions: new Lookup(subscription),
    tokens: new Map([[token.address, ofToken]]),
  };
}

/** An array whose elements are made when they are asked for. */
function lazyList(length: number, at: (position: number) => Hex): readonly Hex[] {
  const isPosition = (key: string | symbol): key is string =>
    typeof key === "string" && /^\d+$/.test(key) && Number(key) < length;
  return new Proxy<Hex[]>([], {
    get(target, key, receiver) {
      if (key === "length") return length;
      return isPosition(key) ? at(Number(key)) : Reflect.get(target, key, receiver);
    },
    has: (target, key) => isPosition(key) || Reflect.has(target, key),
  });
}

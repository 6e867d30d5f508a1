import type { Address, Hex } from "viem";
import { calendarDay } from "../calendar/calendarDay";
import { dueDayOf, FREQUENCIES, type Frequency } from "../calendar/frequency";

/**
 * Everything that decides what remit() does, as plain data of one block. Addresses must have one form throughout (checksummed),
 * because they are compared as text.
 */
export type RemitState = {
  /** Day number of the block that the calls run in. */
  today: number;
  nextUncheckedDay: number;
  /** The most payments of one call; saturated at 2^53 - 1. */
  maxRemits: number;
  /** 10000 + basis points. */
  callerFee: bigint;
  /** 10000 + basis points. */
  systemFee: bigint;
  systemFeeActive: boolean;
  systemFeeReceiver: Address;
  /** The protocol contract itself: an account like others to a token. */
  protocol: Address;
  /** Who calls remit(). */
  caller: Address;
  checkpoint: Checkpoint | null;
  /** Due lists by `dueKey`, each in set order. Has every list of the days from nextUncheckedDay to today; an absent list is empty. */
  dueLists: ReadonlyMap<number, readonly Hex[]>;
  /** At least every id of the due lists. */
  subscriptions: ReadonlyMap<Hex, RemitSubscription>;
  /** At least every token of the subscriptions. */
  tokens: ReadonlyMap<Address, RemitToken>;
};

/** Where the next call goes on in the middle of a day (protocol part 5, rule 2a). Positions count from 1. */
export type Checkpoint = {
  id: Hex;
  subscriberIndex: number;
  /** Position of the id in its due list. */
  subscriptionIndex: number;
  /** 0..3, or whatever the admin has set. */
  frequency: number;
};

export type RemitSubscription = {
  id: Hex;
  /** 18 decimals. */
  amount: bigint;
  provider: Address;
  token: Address;
  cancelled: boolean;
  frequency: Frequency;
  dueDay: number;
  /** The subscriber set in its order, entries of the unsubscribed list included. */
  subscribers: readonly RemitSubscriber[];
  /** The unsubscribed list. May hold strangers that are not in the set (protocol part 7). */
  unsubscribed: readonly Address[];
};

/** An entry of a subscriber set. `feeBalance` has 18 decimals. */
export type RemitSubscriber = { subscriber: Address; feeBalance: bigint };

/**
 * One token, for the protocol and its accounts. A transfer moves exactly its value: a token that takes a share of each transfer
 * can't be modelled.
 */
export type RemitToken = {
  /** As the protocol has registered them: they convert 18 decimals into token units. */
  decimals: number;
  /** By the protocol. */
  paused: boolean;
  /** Token units that the protocol contract holds. */
  protocolBalance: bigint;
  /**
   * Balance of each subscriber and its allowance for the protocol, in token units; an absent account has neither. Also
   * has providers, caller and system receiver, for the gas of transfers to them.
   */
  holdings: ReadonlyMap<Address, Holding>;
  /** Accounts from or to which transfers are known to revert, with the token's reason. */
  blocked: ReadonlyMap<Address, string>;
};

export type Holding = { balance: bigint; allowance: bigint };

/** Due lists of a day, one for each frequency in the order that remit() takes them; each in the contract's order. */
export function dueListsOn({ dueLists }: Pick<RemitState, "dueLists">, dayNumber: number): readonly (readonly Hex[])[] {
  const calendar = calendarDay(dayNumber);
  return FREQUENCIES.map((frequency) => dueLists.get(dueKey(frequency, dueDayOf(calendar, frequency))) ?? []);
}

/** Key of the due list of (frequency, dueDay). */
export function dueKey(frequency: Frequency, dueDay: number): number {
  return frequency * 1000 + dueDay;
}

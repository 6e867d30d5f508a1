import type { Frequency } from "@dueday/core/calendar/frequency";
import { dueKey } from "@dueday/core/remit/state";
import { type Address, getAddress, type Hex } from "viem";
import { createKeyIndex } from "./createKeyIndex";

/** A subscription with its one subscriber. Amounts below 2^64: 18 whole tokens with 18 decimals. */
export type BookEntry = {
  id: Hex;
  /** 18 decimals. */
  amount: bigint;
  provider: Address;
  frequency: Frequency;
  dueDay: number;
  cancelled: boolean;
  subscriber: Address;
  /** Whether the subscriber is in the set. */
  subscribed: boolean;
  /** 18 decimals. */
  feeBalance: bigint;
  /** Of the subscriber, token units. */
  balance: bigint;
  /** Of the subscriber for the contract, token units. */
  allowance: bigint;
};

/** What a block can change of an entry. */
export type EntryChange = Partial<Pick<BookEntry, "cancelled" | "subscribed" | "feeBalance" | "balance" | "allowance">>;

/** Subscriptions in the order of creation, as they were after any block. */
export type Book = {
  size(block: number): number;
  /** Appends an entry, which is in its due list from `block` on. */
  add(entry: BookEntry, block: number): void;
  change(place: number, block: number, change: EntryChange): void;
  at(place: number, block: number): BookEntry;
  idAt(place: number): Hex;
  /** Undefined where no entry up to `block` has the id. */
  placeOf(id: string, block: number): number | undefined;
  placeOfSubscriber(account: string, block: number): number | undefined;
  /** The places of a due list in its order. */
  dueList(frequency: number, dueDay: number, block: number): { length: number; at(position: number): number };
};

const [CANCELLED, SUBSCRIBED] = [1, 2];
const [ID, ADDRESS] = [32, 20];
const END = 2n ** 64n;

/** An empty book for `capacity` entries: some 150 bytes each. What blocks change is kept beside, so that earlier blocks can be read. */
export function createBook(capacity: number): Book {
  const ids = new Uint8Array(ID * capacity);
  const subscribers = new Uint8Array(ADDRESS * capacity);
  const providers: Address[] = [];
  const providerOf = new Uint16Array(capacity);
  const frequencies = new Uint8Array(capacity);
  const dueDays = new Uint16Array(capacity);
  const flags = new Uint8Array(capacity);
  const createdAt = new Float64Array(capacity);
  const [amounts, feeBalances, balances, allowances] = [0, 1, 2, 3].map(() => new BigUint64Array(capacity)) as [
    BigUint64Array,
    BigUint64Array,
    BigUint64Array,
    BigUint64Array,
  ];
  const placesOfIds = createKeyIndex();
  const placesOfSubscribers = createKeyIndex();
  const dueLists = new Map<number, number[]>();
  /** What a block replaced, oldest first. */
  const replaced = new Map<number, { block: number; entry: BookEntry }[]>();
  let size = 0;

  function set(place: number, { cancelled, subscribed, feeBalance, balance, allowance }: BookEntry): void {
    flags[place] = (cancelled ? CANCELLED : 0) | (subscribed ? SUBSCRIBED : 0);
    feeBalances[place] = bounded(feeBalance);
    balances[place] = bounded(balance);
    allowances[place] = bounded(allowance);
  }

  function current(place: number): BookEntry {
    const provider = providers[providerOf[place] ?? 0];
    if (place >= size || provider === undefined) throw new RangeError(`the book has no entry ${place}`);
    const flag = flags[place] ?? 0;
    return {
      id: idAt(place),
      amount: amounts[place] ?? 0n,
      provider,
      // Set from a Frequency.
      frequency: (frequencies[place] ?? 0) as Frequency,
      dueDay: dueDays[place] ?? 0,
      cancelled: (flag & CANCELLED) !== 0,
      subscriber: `0x${subscribers.subarray(ADDRESS * place, ADDRESS * (place + 1)).toHex()}`,
      subscribed: (flag & SUBSCRIBED) !== 0,
      feeBalance: feeBalances[place] ?? 0n,
      balance: balances[place] ?? 0n,
      allowance: allowances[place] ?? 0n,
    };
  }

  function idAt(place: number): Hex {
    return `0x${ids.subarray(ID * place, ID * (place + 1)).toHex()}`;
  }

  function known(place: number | undefined, block: number): number | undefined {
    return place !== undefined && (createdAt[place] ?? 0) <= block ? place : undefined;
  }

  /** How many of `places`, which were created one after another, exist after `block`. */
  function countAt(places: (position: number) => number, length: number, block: number): number {
    let count = length;
    while (count > 0 && (createdAt[places(count - 1)] ?? 0) > block) count--;
    return count;
  }

  return {
    size: (block) => countAt((position) => position, size, block),
    add(entry, block) {
      if (size === capacity) throw new RangeError(`the book has room for ${capacity} entries`);
      const place = size++;
      ids.set(Uint8Array.fromHex(entry.id.slice(2)), ID * place);
      subscribers.set(Uint8Array.fromHex(entry.subscriber.slice(2)), ADDRESS * place);
      const provider = getAddress(entry.provider);
      const known = providers.indexOf(provider);
      providerOf[place] = known === -1 ? providers.push(provider) - 1 : known;
      frequencies[place] = entry.frequency;
      dueDays[place] = entry.dueDay;
      amounts[place] = bounded(entry.amount);
      createdAt[place] = block;
      set(place, entry);
      placesOfIds.add(entry.id, place);
      placesOfSubscribers.add(entry.subscriber, place);
      const key = dueKey(entry.frequency, entry.dueDay);
      const list = dueLists.get(key);
      if (list === undefined) dueLists.set(key, [place]);
      else list.push(place);
    },
    change(place, block, change) {
      const entry = current(place);
      const before = replaced.get(place);
      if (before === undefined) replaced.set(place, [{ block, entry }]);
      else before.push({ block, entry });
      set(place, { ...entry, ...change });
    },
    at: (place, block) => replaced.get(place)?.find((each) => each.block > block)?.entry ?? current(place),
    idAt,
    placeOf(id, block) {
      const place = known(placesOfIds.find(id), block);
      return place !== undefined && idAt(place) === id ? place : undefined;
    },
    placeOfSubscriber: (account, block) => known(placesOfSubscribers.find(account), block),
    dueList(frequency, dueDay, block) {
      const list = dueLists.get(frequency * 1000 + dueDay) ?? [];
      const at = (position: number) => list[position] ?? 0;
      return { length: countAt(at, list.length, block), at };
    },
  };
}

/** A typed array would take the lowest bits of a larger number. */
function bounded(value: bigint): bigint {
  if (value >= 0n && value < END) return value;
  throw new RangeError(`${value} does not fit in 64 bits`);
}

import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { dueDayOf, FREQUENCIES, type Frequency, lastDueDay } from "@dueday/core/calendar/frequency";
import {
  dueKey,
  type Holding,
  type RemitState,
  type RemitSubscription,
  type RemitToken,
} from "@dueday/core/remit/state";
import type { Address, Hex } from "viem";

/** `day`: yearly ones, all due today. `spread`: over all frequencies and all days of each. */
export type BookShape = "day" | "spread";

/** Subscriptions can be replaced: a copy of a million entries is not part of a scan. */
export type BigBook = RemitState & { subscriptions: Map<Hex, RemitSubscription> };

export const BOOK_TOKEN: Address = "0x0000000000000000000000000000000000001000";

const WHOLE = 10n ** 18n;
const DECIMALS = 6;
/** One in this number of subscribers can't pay. */
const FAILING = 50;

/**
 * The state of a contract with `size` subscriptions of one subscriber each, on which today is open. What is due is known by arithmetic: see
 * `dueCount`.
 */
export function bigBook(size: number, shape: BookShape, today: number): BigBook {
  const dueLists = new Map<number, Hex[]>();
  const subscriptions = new Map<Hex, RemitSubscription>();
  const holdings = new Map<Address, Holding>();
  for (let index = 0; index < size; index++) {
    const { frequency, dueDay } = termsOf(index, shape, today);
    const subscriber = address(0x100000 + index);
    holdings.set(subscriber, { balance: index % FAILING === 0 ? 0n : 900n * 10n ** 6n, allowance: 2n ** 255n });
    const id: Hex = `0x${(index + 1).toString(16).padStart(64, "0")}`;
    subscriptions.set(id, {
      id,
      amount: 5n * WHOLE,
      provider: address(0x2000 + (index % 50)),
      token: BOOK_TOKEN,
      cancelled: false,
      frequency,
      dueDay,
      subscribers: [{ subscriber, feeBalance: WHOLE }],
      unsubscribed: [],
    });
    const key = dueKey(frequency, dueDay);
    const list = dueLists.get(key) ?? [];
    list.push(id);
    dueLists.set(key, list);
  }
  const token: RemitToken = {
    decimals: DECIMALS,
    paused: false,
    protocolBalance: 10n ** 30n,
    holdings,
    blocked: new Map(),
  };
  return {
    today,
    nextUncheckedDay: today,
    maxRemits: 100,
    callerFee: 10_025n,
    systemFee: 10_500n,
    systemFeeActive: false,
    systemFeeReceiver: address(0x10),
    protocol: address(0x11),
    caller: address(0x12),
    checkpoint: null,
    dueLists,
    subscriptions,
    tokens: new Map([[BOOK_TOKEN, token]]),
  };
}

/** Subscriptions that are due on a day, by frequency: counted from the terms alone. */
export function dueCounts(size: number, shape: BookShape, today: number, day: number): number[] {
  const calendar = calendarDay(day);
  const counts = FREQUENCIES.map(() => 0);
  for (let index = 0; index < size; index++) {
    const { frequency, dueDay } = termsOf(index, shape, today);
    if (dueDayOf(calendar, frequency) === dueDay) counts[frequency] = (counts[frequency] ?? 0) + 1;
  }
  return counts;
}

function termsOf(index: number, shape: BookShape, today: number): { frequency: Frequency; dueDay: number } {
  if (shape === "day") return { frequency: 3, dueDay: Math.min(dueDayOf(calendarDay(today), 3), lastDueDay(3)) };
  const frequency = FREQUENCIES[index % FREQUENCIES.length] ?? 0;
  return { frequency, dueDay: 1 + (Math.floor(index / FREQUENCIES.length) % lastDueDay(frequency)) };
}

/** Without the checksum, which takes longer than a scan. */
function address(number: number): Address {
  return `0x${number.toString(16).padStart(40, "0")}`;
}

import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { dueDayOf, type Frequency, lastDueDay } from "@dueday/core/calendar/frequency";
import {
  dueKey,
  type Holding,
  type RemitState,
  type RemitSubscription,
  type RemitToken,
} from "@dueday/core/remit/state";
import { type Address, getAddress, type Hex, padHex, toHex } from "viem";

/** 2026-01-10. */
export const FIRST_DAY = 20_463;
export const DAYS = 30;

const WHOLE = 10n ** 18n;
const INFINITE_ALLOWANCE = 2n ** 256n - 1n;
const TOKENS = [0, 1, 2].map((index) => address(0x1000 + index));
const DECIMALS = [6, 18, 8];
const SUBSCRIBERS = 25;
const ROTATION: readonly Frequency[] = [1, 2, 3];

/**
 * A state with `payments` payments due over `DAYS` days, in subscriptions of 25 subscribers. Every payer has two subscriptions; one
 * payer in twenty-five can't pay the second. Each day has subscriptions of one frequency only: where a page ends within one
 * frequency, the protocol misses those of the later ones, and the plan would have fewer payments.
 */
export function remitState(payments: number): RemitState {
  const dueLists = new Map<number, Hex[]>();
  const subscriptions = new Map<Hex, RemitSubscription>();
  const holdings = TOKENS.map(() => new Map<Address, Holding>());
  for (let index = 0; index * SUBSCRIBERS < payments; index++) {
    const { frequency, dueDay } = dueOn(FIRST_DAY + ((index * 7) % DAYS));
    const subscribers = Array.from({ length: SUBSCRIBERS }, (_, place) => {
      // Neighbouring ids share their payers, in the same token.
      const payer = address(0x100000 + Math.floor(index / 6) * 3 * SUBSCRIBERS + (index % 3) * SUBSCRIBERS + place);
      const balance = tokenUnits(index % 3, place === 0 ? 70n : 900n);
      const allowance = place % 2 === 0 ? INFINITE_ALLOWANCE : tokenUnits(index % 3, 600n);
      holdings[index % 3]?.set(payer, { balance, allowance });
      return { subscriber: payer, feeBalance: BigInt(place % 4) * WHOLE };
    });
    const id = padHex(toHex(index + 1), { size: 32 });
    subscriptions.set(id, {
      id,
      amount: 50n * WHOLE,
      provider: address(0x2000 + (index % 50)),
      token: TOKENS[index % 3] ?? "0x",
      cancelled: false,
      frequency,
      dueDay,
      subscribers,
      unsubscribed: [],
    });
    const key = dueKey(frequency, dueDay);
    const list = dueLists.get(key) ?? [];
    list.push(id);
    dueLists.set(key, list);
  }
  return {
    today: FIRST_DAY + DAYS - 1,
    nextUncheckedDay: FIRST_DAY,
    maxRemits: 50,
    callerFee: 10_025n,
    systemFee: 10_500n,
    systemFeeActive: true,
    systemFeeReceiver: address(0x10),
    protocol: address(0x11),
    caller: address(0x12),
    checkpoint: null,
    dueLists,
    subscriptions,
    tokens: new Map(
      TOKENS.map((token, index): [Address, RemitToken] => [
        token,
        {
          decimals: DECIMALS[index] ?? 18,
          paused: false,
          protocolBalance: 10n ** 30n,
          holdings: holdings[index] ?? new Map(),
          blocked: new Map(),
        },
      ]),
    ),
  };
}

function dueOn(day: number): { frequency: Frequency; dueDay: number } {
  const today = calendarDay(day);
  const frequency = ROTATION[day % 3] ?? 3;
  const dueDay = dueDayOf(today, frequency);
  return dueDay > lastDueDay(frequency) ? { frequency: 3, dueDay: dueDayOf(today, 3) } : { frequency, dueDay };
}

function tokenUnits(token: number, whole: bigint): bigint {
  return whole * 10n ** BigInt(DECIMALS[token] ?? 18);
}

function address(number: number): Address {
  return getAddress(padHex(toHex(number), { size: 20 }));
}

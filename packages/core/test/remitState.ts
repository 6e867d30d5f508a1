import { dateToDay } from "@dueday/core/calendar/dates";
import type { Frequency } from "@dueday/core/calendar/frequency";
import {
  dueKey,
  type Holding,
  type RemitState,
  type RemitSubscription,
  type RemitToken,
} from "@dueday/core/remit/state";
import type { Address, Hex } from "viem";

/** 2026-03-02: a Monday (weekly 1), the second of its month (monthly 2), day 61 of the quarter and of the year. */
export const MONDAY = dateToDay("2026-03-02") ?? 0;

/** One whole token in the protocol's 18 decimals, and in units of `TOKEN`. */
export const WHOLE = 10n ** 18n;

export const TOKEN: Address = "0xtoken";
export const CALLER: Address = "0xcaller";

export type SubscriptionOptions = Partial<Omit<RemitSubscription, "subscribers">> & {
  id: Hex;
  frequency: Frequency;
  /** Names of the subscribers, in set order; each has a fee balance of 5 whole tokens. */
  subscribers: Address[];
};

/**
 * A state on `MONDAY` in which everybody can pay, with subscriptions of 10 whole tokens that are due on that day. Their order
 * is that of the due lists. The caller's fee is 1 %.
 */
export function remitState(
  subscriptions: SubscriptionOptions[],
  overrides: Partial<RemitState> & { token?: Partial<RemitToken> } = {},
): RemitState {
  const { token, ...rest } = overrides;
  const complete = subscriptions.map(completeSubscription);
  const dueLists = new Map<number, Hex[]>();
  for (const { id, frequency, dueDay } of complete) {
    const key = dueKey(frequency, dueDay);
    dueLists.set(key, [...(dueLists.get(key) ?? []), id]);
  }
  const payers = complete.flatMap(({ subscribers }) => subscribers.map(({ subscriber }) => subscriber));
  const rich = (): Holding => ({ balance: 1000n * WHOLE, allowance: 1000n * WHOLE });
  return {
    today: MONDAY,
    nextUncheckedDay: MONDAY,
    maxRemits: 5,
    callerFee: 10_100n,
    systemFee: 10_000n,
    systemFeeActive: false,
    systemFeeReceiver: "0xsystem",
    protocol: "0xprotocol",
    caller: CALLER,
    checkpoint: null,
    dueLists,
    subscriptions: new Map(complete.map((subscription) => [subscription.id, subscription])),
    tokens: new Map([
      [
        TOKEN,
        {
          decimals: 18,
          paused: false,
          protocolBalance: 1000n * WHOLE,
          holdings: new Map(payers.map((payer) => [payer, rich()])),
          blocked: new Map(),
          ...token,
        },
      ],
    ]),
    ...rest,
  };
}

function completeSubscription({ subscribers, ...options }: SubscriptionOptions): RemitSubscription {
  return {
    amount: 10n * WHOLE,
    provider: "0xprovider",
    token: TOKEN,
    cancelled: false,
    dueDay: [1, 2, 61, 61][options.frequency] ?? 0,
    unsubscribed: [],
    ...options,
    subscribers: subscribers.map((subscriber) => ({ subscriber, feeBalance: 5n * WHOLE })),
  };
}

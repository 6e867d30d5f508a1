import { FREQUENCIES } from "@dueday/core/calendar/frequency";
import { dueKey, type RemitState, type RemitSubscription, type RemitToken } from "@dueday/core/remit/state";
import fc from "fast-check";
import type { Address, Hex } from "viem";
import { MONDAY, WHOLE } from "./remitState";

const ACCOUNTS: Address[] = ["0xa", "0xb", "0xc", "0xd", "0xe", "0xf", "0xg", "0xh"];
const PROVIDERS: Address[] = ["0xa", "0xprovider", "0xcaller", "0xsystem"];
const IDS: Hex[] = ["0x1", "0x2", "0x3", "0x4", "0x5", "0x6", "0x7"];
const TOKENS: Address[] = ["0xT6", "0xT18", "0xT24"];
const DECIMALS = [6, 18, 24];

const wholeTokens = fc.integer({ min: 0, max: 60 }).map((whole) => BigInt(whole) * WHOLE);
const someAccounts = fc.shuffledSubarray(ACCOUNTS);

/** The days around `MONDAY`, so that ids share their lists and a plan meets several days. */
const dueDays = [
  [1, 2, 7],
  [1, 2, 28],
  [60, 61],
  [60, 61],
] as const;

const subscription = fc.constantFrom(...FREQUENCIES).chain((frequency) =>
  fc.record({
    amount: fc.integer({ min: 1, max: 40 * 10 ** 6 }).map((micro) => BigInt(micro) * 10n ** 12n + 7n),
    provider: fc.constantFrom(...PROVIDERS),
    token: fc.constantFrom(...TOKENS),
    cancelled: fc.integer({ min: 0, max: 5 }).map((dice) => dice === 0),
    frequency: fc.constant(frequency),
    dueDay: fc.constantFrom(...dueDays[frequency]),
    members: someAccounts,
    // Mostly empty, and at times with strangers that are not in the set.
    unsubscribed: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: someAccounts }),
    feeBalances: fc.array(wholeTokens, { minLength: ACCOUNTS.length, maxLength: ACCOUNTS.length }),
  }),
);

const token = (decimals: number) =>
  fc.record({
    decimals: fc.constant(decimals),
    paused: fc.integer({ min: 0, max: 6 }).map((dice) => dice === 0),
    protocolBalance: fc.constant(10n ** 40n),
    holdings: fc
      .array(fc.tuple(wholeTokens, wholeTokens), { minLength: ACCOUNTS.length, maxLength: ACCOUNTS.length })
      .map(
        (pairs) =>
          new Map(pairs.map(([balance, allowance], index) => [ACCOUNTS[index] ?? "0x", { balance, allowance }])),
      ),
    blocked: fc.oneof(
      { weight: 12, arbitrary: fc.constant(new Map<Address, string>()) },
      { weight: 1, arbitrary: fc.constantFrom(...ACCOUNTS).map((account) => new Map([[account, "blocked"]])) },
    ),
  });

const checkpoint = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.record({
      id: fc.constantFrom(...IDS),
      subscriberIndex: fc.integer({ min: 1, max: 5 }),
      subscriptionIndex: fc.integer({ min: 1, max: 3 }),
      frequency: fc.integer({ min: 0, max: 3 }),
    }),
  },
);

/** States of real histories and beyond: few accounts, shared balances, odd checkpoints, strangers, blocked accounts. */
export const arbitraryRemitState: fc.Arbitrary<RemitState> = fc
  .record({
    today: fc.integer({ min: MONDAY, max: MONDAY + 9 }),
    nextUncheckedDay: fc.integer({ min: MONDAY - 3, max: MONDAY + 1 }),
    maxRemits: fc.integer({ min: 0, max: 6 }),
    callerFee: fc.constantFrom(10_000n, 10_025n, 10_833n),
    systemFee: fc.constantFrom(10_000n, 11_000n, 19_999n),
    systemFeeActive: fc.boolean(),
    checkpoint,
    subscriptions: fc.array(subscription, { maxLength: IDS.length }),
    tokens: fc.tuple(...DECIMALS.map(token)),
  })
  .map(({ subscriptions, tokens, ...rest }) => {
    const complete = subscriptions.map((each, index) => toSubscription(IDS[index] ?? "0x", each));
    const dueLists = new Map<number, Hex[]>();
    for (const { id, frequency, dueDay } of complete) {
      const key = dueKey(frequency, dueDay);
      dueLists.set(key, [...(dueLists.get(key) ?? []), id]);
    }
    return {
      ...rest,
      systemFeeReceiver: "0xsystem",
      protocol: "0xprotocol",
      caller: "0xcaller",
      dueLists,
      subscriptions: new Map(complete.map((each) => [each.id, each])),
      tokens: new Map(tokens.map((each, index): [Address, RemitToken] => [TOKENS[index] ?? "0x", each])),
    };
  });

type Drawn = Omit<RemitSubscription, "id" | "subscribers"> & { members: Address[]; feeBalances: bigint[] };

function toSubscription(id: Hex, { members, feeBalances, ...rest }: Drawn): RemitSubscription {
  // A provider can't subscribe to its own subscription.
  const payers = members.filter((member) => member !== rest.provider);
  return {
    ...rest,
    id,
    subscribers: payers.map((subscriber, index) => ({ subscriber, feeBalance: feeBalances[index] ?? 0n })),
  };
}

import { dateToDay } from "@dueday/core/calendar/dates";
import { encodeCancelSubscription } from "@dueday/core/calldata/encodeCancelSubscription";
import { encodeCreateSubscription } from "@dueday/core/calldata/encodeCreateSubscription";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { encodeSubscribe } from "@dueday/core/calldata/encodeSubscribe";
import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { encodeUnsubscribeByProvider } from "@dueday/core/calldata/encodeUnsubscribeByProvider";
import { adminAbi } from "@dueday/devnet/abi/adminAbi";
import { testTokenAbi } from "@dueday/devnet/abi/testTokenAbi";
import { onlyId } from "@dueday/devnet/onlyId";
import type { Scenario } from "@dueday/devnet/replay/scenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import fc from "fast-check";
import {
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  parseEther,
  parseUnits,
  toHex,
  zeroAddress,
  zeroHash,
} from "viem";

const SUBSCRIBERS = ["ann", "ben", "cem", "dora", "eve"];
const PROVIDERS = ["provider1", "provider2"];
const TOKENS = { T6: 6, T18: 18 };
/** A Monday, the second of its month, day 61 of its quarter and year. */
const FIRST_DUE_DAY = dateToDay("2026-03-02") ?? 0;
const DAY = 86_400;

/** The chain on which all histories begin. */
export const beginning: Scenario = {
  scenario: 0,
  start: (FIRST_DUE_DAY - 1) * DAY + DAY / 2,
  config: { callerFee: "10200", systemFee: "11000", maxRemits: "2", cancelLimit: "2", allowSystemFee: false },
  tokens: Object.fromEntries(
    Object.entries(TOKENS).map(([name, decimals]) => [name, { decimals, minimum: "1", approved: true }]),
  ),
  accounts: ["admin", "janitor", "keeper", "stranger", ...PROVIDERS, ...SUBSCRIBERS],
  steps: [],
  final: { nextUncheckedDay: 0, subscriptions: {}, accounts: {}, balances: {} },
};

/** One step. `sub` is an index of the subscriptions created so far, modulo their number. */
export type Step =
  | { op: "create"; by: string; token: string; frequency: number; dueDay: number; amount: number }
  | { op: "subscribe" | "unsubscribe"; sub: number; by: string }
  | { op: "removeSubscriber"; sub: number; who: string }
  | { op: "cancel" | "cleanList" | "cleanCancelled"; sub: number }
  | { op: "fund"; who: string; token: string; balance: number; allowance: number }
  | { op: "block" | "unblock"; who: string; token: string }
  | { op: "pause" | "resume"; token: string }
  | { op: "maxRemits"; limit: number }
  | { op: "systemFee"; active: boolean }
  | { op: "checkpoint"; sub: number; subscriberIndex: number; subscriptionIndex: number; frequency: number }
  | { op: "remit" }
  | { op: "warp"; days: number }
  | { op: "check" };

const sub = fc.nat({ max: 9 });
const token = fc.constantFrom(...Object.keys(TOKENS));
const subscriber = fc.constantFrom(...SUBSCRIBERS);
const anybody = fc.constantFrom(...SUBSCRIBERS, "stranger");

/** Due days that fall on the same three days in every frequency. */
const create = fc.nat({ max: 3 }).chain((frequency) =>
  fc.record({
    op: fc.constant("create" as const),
    by: fc.constantFrom(...PROVIDERS),
    token,
    frequency: fc.constant(frequency),
    dueDay: fc.nat({ max: 2 }).map((day) => ([1, 2, 61, 61][frequency] ?? 0) + day),
    amount: fc.integer({ min: 1, max: 40 }),
  }),
);
const subscribe = fc.record({ op: fc.constant("subscribe" as const), sub, by: subscriber });
const remit = fc.constant<Step>({ op: "remit" });
const check = fc.constant<Step>({ op: "check" });
const fund = fc.record({
  op: fc.constant("fund" as const),
  who: subscriber,
  token,
  balance: fc.nat({ max: 90 }),
  allowance: fc.oneof(fc.nat({ max: 90 }), fc.constant(1_000_000)),
});

/** Some of all accounts leave one id at once, strangers included: the list of the checkpoint's id may outgrow the id's set. */
const leave = fc
  .tuple(sub, fc.shuffledSubarray([...SUBSCRIBERS, "stranger", "keeper", "janitor"], { minLength: 1 }))
  .map(([which, accounts]) => accounts.map((by): Step => ({ op: "unsubscribe", sub: which, by })));

const laterStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: remit },
  { weight: 2, arbitrary: check },
  { weight: 5, arbitrary: fund },
  { weight: 2, arbitrary: subscribe },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("unsubscribe" as const), sub, by: anybody }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("removeSubscriber" as const), sub, who: subscriber }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("warp" as const), days: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: create },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constantFrom("cancel" as const, "cancel" as const, "cleanList" as const, "cleanCancelled" as const),
      sub,
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constantFrom("pause" as const, "resume" as const), token }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constantFrom("block" as const, "unblock" as const), who: anybody, token }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("maxRemits" as const), limit: fc.nat({ max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("systemFee" as const), active: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("checkpoint" as const),
      sub,
      subscriberIndex: fc.integer({ min: 1, max: 4 }),
      subscriptionIndex: fc.integer({ min: 1, max: 3 }),
      frequency: fc.nat({ max: 3 }),
    }),
  },
);

/** A book of several subscriptions that comes due, and whatever happens to it then; checked at its end, and on the way. */
export const arbitraryHistory: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.array(create, { minLength: 2, maxLength: 6 }),
    fc.array(subscribe, { minLength: 6, maxLength: 14 }),
    fc.integer({ min: 1, max: 4 }),
    fc.array(fc.oneof({ weight: 8, arbitrary: laterStep.map((step) => [step]) }, { weight: 2, arbitrary: leave }), {
      minLength: 4,
      maxLength: 16,
    }),
  )
  .map(([limit, created, subscribed, days, later]): Step[] => [
    { op: "maxRemits", limit },
    ...SUBSCRIBERS.flatMap((who) =>
      Object.keys(TOKENS).map((name): Step => ({ op: "fund", who, token: name, balance: 200, allowance: 150 })),
    ),
    ...created,
    ...subscribed,
    { op: "warp", days },
    ...later.flat(),
    { op: "check" },
  ]);

/** Two payments that come due and are charged: the first history of a test that must meet a charge, because a few random ones may have none. */
export const chargedHistory: Step[] = [
  { op: "fund", who: "ann", token: "T6", balance: 200, allowance: 150 },
  { op: "fund", who: "ben", token: "T6", balance: 200, allowance: 150 },
  { op: "create", by: "provider1", token: "T6", frequency: 0, dueDay: 1, amount: 10 },
  { op: "subscribe", sub: 0, by: "ann" },
  { op: "subscribe", sub: 0, by: "ben" },
  { op: "warp", days: 1 },
  { op: "check" },
  { op: "remit" },
  { op: "check" },
];

/**
 * Applies a history on a node without automatic mining. A step that reverts changes nothing; one for a subscription, before
 * any exists, is skipped. `check` runs at each step that asks for it, `afterStep` after every other that is not skipped.
 */
export async function playHistory(
  context: ReplayContext,
  steps: readonly Step[],
  check: () => Promise<void>,
  afterStep: () => Promise<void> = async () => {},
): Promise<void> {
  const { client, names } = context;
  const created: { id: Hex; provider: Address }[] = [];
  for (const step of steps) {
    if (step.op === "check") await check();
    else if (step.op === "warp") {
      const { timestamp } = await client.getBlock();
      await client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(step.days * DAY) });
      await client.mine({ blocks: 1 });
      await afterStep();
    } else {
      const target = "sub" in step ? created[step.sub % Math.max(1, created.length)] : undefined;
      if ("sub" in step && target === undefined) continue;
      const call = callOf(context, step, target);
      const hash = await client.request({
        method: "eth_sendTransaction",
        params: [{ ...call, gas: toHex(20_000_000) }],
      });
      await client.mine({ blocks: 1 });
      if (step.op === "create") {
        const { logs } = await client.getTransactionReceipt({ hash });
        const id = logs[0]?.topics[1];
        if (id !== undefined) created.push({ id, provider: names.addressOf(step.by) });
      }
      await afterStep();
    }
  }
}

type Call = { from: Address; to: Address; data: Hex };

function callOf({ names, contract }: ReplayContext, step: Transaction, target = NOTHING): Call {
  const { id, provider } = target;
  const by = (name: string, data: Hex): Call => ({ from: names.addressOf(name), to: contract, data });
  const byProvider = (data: Hex): Call => ({ from: provider, to: contract, data });
  const onToken = (token: string, data: Hex): Call => ({ ...by("admin", data), to: names.addressOf(token) });
  switch (step.op) {
    case "create": {
      const { token, amount, frequency, dueDay } = step;
      const terms = { token: names.addressOf(token), amount: parseEther(`${amount}`), frequency, dueDay };
      return by(step.by, encodeCreateSubscription({ ...terms, details: { url: "", description: "" } }));
    }
    case "subscribe":
      return by(step.by, encodeSubscribe(onlyId(id)));
    case "unsubscribe":
      return by(step.by, encodeUnsubscribe(onlyId(id)));
    case "removeSubscriber":
      return byProvider(encodeUnsubscribeByProvider(onlyId(id), names.addressOf(step.who)));
    case "cancel":
      return byProvider(encodeCancelSubscription(onlyId(id)));
    case "remit":
      return by("keeper", encodeRemit());
    case "cleanList":
      return by("janitor", admin("cleanUnsubscribeList", [id]));
    case "cleanCancelled":
      return by("janitor", admin("cleanupCancelledSubscribers", [onlyId(id)]));
    case "pause":
    case "resume":
      return by("admin", admin("pauseToken", [names.addressOf(step.token), step.op === "pause"]));
    case "maxRemits":
      return by("admin", admin("changeMaxRemits", [BigInt(step.limit)]));
    case "systemFee":
      return by("admin", admin("systemFeeActivate", [step.active]));
    case "checkpoint": {
      const { subscriberIndex, subscriptionIndex, frequency } = step;
      const indexes = { subscriberIndex: BigInt(subscriberIndex), subscriptionIndex: BigInt(subscriptionIndex) };
      return by("admin", admin("setPageStart", [{ id, ...indexes, frequency: BigInt(frequency), initialized: true }]));
    }
    case "fund": {
      const units = (whole: number) => parseUnits(`${whole}`, step.token === "T6" ? TOKENS.T6 : TOKENS.T18);
      const args = [names.addressOf(step.who), contract, units(step.balance), units(step.allowance)] as const;
      return onToken(step.token, encodeFunctionData({ abi: testTokenAbi, functionName: "fund", args }));
    }
    case "block":
    case "unblock": {
      const args = [names.addressOf(step.who), step.op === "block"] as const;
      return onToken(step.token, encodeFunctionData({ abi: testTokenAbi, functionName: "setBlocked", args }));
    }
  }
}

type Transaction = Exclude<Step, { op: "check" | "warp" }>;

const NOTHING: { id: Hex; provider: Address } = { id: zeroHash, provider: zeroAddress };

function admin<
  name extends ContractFunctionName<typeof adminAbi, "nonpayable">,
  const args extends ContractFunctionArgs<typeof adminAbi, "nonpayable", name>,
>(functionName: name, args: args): Hex {
  // The generic types above bind the arguments to the function; inside they can't be resolved further.
  return encodeFunctionData({ abi: adminAbi, functionName, args } as EncodeFunctionDataParameters<typeof adminAbi>);
}

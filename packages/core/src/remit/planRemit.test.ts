import { expect, test } from "bun:test";
import { CALLER, MONDAY, remitState, type SubscriptionOptions, TOKEN, WHOLE } from "@dueday/core/test/remitState";
import { stateAfterRemits } from "@dueday/core/test/stateAfterRemits";
import type { Address } from "viem";
import { planRemit } from "./planRemit";
import type { Holding } from "./state";

const FEE = WHOLE / 10n; // 1 % of 10 whole tokens

/** Holdings of 0xa alone. */
function only(balance: bigint, allowance: bigint): Map<Address, Holding> {
  return new Map([["0xa", { balance, allowance }]]);
}

const due: SubscriptionOptions[] = [{ id: "0xid", frequency: 0, subscribers: ["0xa"] }];

test("two of three monthly ids are missed when a page breaks in the weekly list at position 1", () => {
  const state = remitState(
    [
      { id: "0xweekly", frequency: 0, subscribers: ["0xa", "0xb"] },
      { id: "0xmonthly1", frequency: 1, subscribers: ["0xc"] },
      { id: "0xmonthly2", frequency: 1, subscribers: ["0xd", "0xe"] },
      { id: "0xmonthly3", frequency: 1, subscribers: ["0xf"] },
    ],
    { maxRemits: 1 },
  );
  const plan = planRemit(state);
  expect(plan.end).toBe("caught_up");
  expect(plan.transactions.map(({ payments }) => payments)).toEqual([1, 1, 1]);
  expect(plan.details.missed).toEqual([
    { id: "0xmonthly3", dayNumber: MONDAY, subscribers: 1 },
    { id: "0xmonthly2", dayNumber: MONDAY, subscribers: 2 },
  ]);
  expect(
    plan.details.payments.map(({ transaction, subscriber, outcome }) => `${transaction} ${subscriber} ${outcome}`),
  ).toEqual(["0 0xb paid", "1 0xa paid", "1 0xf missed", "1 0xe missed", "1 0xd missed", "2 0xc paid"]);
  // Without a page break no payment is missed.
  expect(planRemit({ ...state, maxRemits: 5 }).details.missed).toEqual([]);
});

test("strangers on the unsubscribed list that outgrow the set block everybody, and the plan names the id", () => {
  const state = remitState([
    { id: "0xoutgrown", frequency: 0, subscribers: ["0xa"], unsubscribed: ["0xstranger1", "0xstranger2"] },
  ]);
  const plan = planRemit(state);
  expect(plan).toMatchObject({ end: "blocked", complete: true, transactions: [], details: { payments: [] } });
  expect(plan.revert?.code).toBe("Panic(17)");
  expect(plan.details.blockedBy).toMatchObject({
    id: "0xoutgrown",
    token: TOKEN,
    revert: { name: "PANIC_ARITHMETIC" },
  });
  expect(plan.details.blockedBy?.account).toBeUndefined();
});

test("a plan may end blocked after good transactions", () => {
  const state = remitState(
    [
      { id: "0xgood", frequency: 0, subscribers: ["0xa"] },
      { id: "0xoutgrown", frequency: 0, dueDay: 2, subscribers: ["0xb"], unsubscribed: ["0xs", "0xt"] },
    ],
    { today: MONDAY + 1 },
  );
  const plan = planRemit(state);
  expect(plan.transactions.map(({ closesDays }) => closesDays)).toEqual([[MONDAY]]);
  expect(plan).toMatchObject({ end: "blocked", details: { blockedBy: { id: "0xoutgrown" } } });
});

test("one stranger that evens out the list and the set: the payer is charged and the caller receives no fee", () => {
  const state = remitState([{ id: "0xid", frequency: 0, subscribers: ["0xa"], unsubscribed: ["0xstranger"] }]);
  const plan = planRemit(state);
  expect(plan.transactions).toMatchObject([{ payments: 1, failures: 0, callerFees: [] }]);
  expect(plan.details.payments).toMatchObject([{ subscriber: "0xa", outcome: "paid", callerFee: 0n }]);
  expect(plan.details.unpaidFees).toEqual([
    { transaction: 0, dayNumber: MONDAY, reason: "no_difference", id: "0xid", token: TOKEN, units: FEE },
  ]);
});

test("fees stay with the protocol when the entry at position 1 is on the unsubscribed list", () => {
  const state = remitState([
    { id: "0xid", frequency: 0, subscribers: ["0xa", "0xb", "0xc"], unsubscribed: ["0xa"] },
    { id: "0xother", frequency: 1, subscribers: ["0xd"] },
  ]);
  const plan = planRemit(state);
  expect(plan.transactions).toMatchObject([{ payments: 3, callerFees: [{ token: TOKEN, units: FEE }] }]);
  expect(plan.details.payments.map(({ subscriber, outcome, callerFee }) => [subscriber, outcome, callerFee])).toEqual([
    ["0xc", "paid", 0n],
    ["0xb", "paid", 0n],
    ["0xa", "skipped", 0n],
    ["0xd", "paid", FEE],
  ]);
  expect(plan.details.unpaidFees).toEqual([
    { transaction: 0, dayNumber: MONDAY, reason: "unsubscribed_first", id: "0xid", token: TOKEN, units: 2n * FEE },
  ]);
});

test("with maxRemits 0 a plan closes the empty days before the first payment and then makes no progress", () => {
  expect(planRemit(remitState(due, { maxRemits: 0 }))).toMatchObject({
    end: "no_progress",
    complete: true,
    transactions: [],
  });
  const late = planRemit(remitState(due, { maxRemits: 0, nextUncheckedDay: MONDAY - 2 }));
  expect(late.end).toBe("no_progress");
  expect(late.transactions).toMatchObject([{ closesDays: [MONDAY - 2, MONDAY - 1], payments: 0 }]);
});

test("empty days up to today make no transaction: the call would revert with 6", () => {
  const state = remitState([], { nextUncheckedDay: MONDAY - 30 });
  expect(planRemit(state)).toMatchObject({ end: "caught_up", transactions: [] });
  expect(() => stateAfterRemits(state, 1)).toThrow("remit() reverts");
});

test("a day with only cancelled and paused ids is settled without a payment, and listed as an unpaid fee", () => {
  const state = remitState(
    [
      { id: "0xcancelled", frequency: 0, subscribers: ["0xa"], cancelled: true },
      { id: "0xpaused", frequency: 1, subscribers: ["0xb"] },
    ],
    { token: { paused: true } },
  );
  const plan = planRemit(state);
  expect(plan.transactions).toMatchObject([{ closesDays: [MONDAY], payments: 0, callerFees: [] }]);
  expect(plan.details.payments.map(({ subscriber, outcome }) => `${subscriber} ${outcome}`)).toEqual([
    "0xa skipped",
    "0xb skipped",
  ]);
  expect(plan.details.unpaidFees).toEqual([{ transaction: 0, dayNumber: MONDAY, reason: "nothing_charged" }]);
  // The cancelled id leaves its due list, the paused one stays.
  expect([...stateAfterRemits(state, 1).dueLists.values()]).toEqual([[], ["0xpaused"]]);
});

test("a checkpoint at a cancelled id is cleared, and the ids before it in the list are charged", () => {
  const state = remitState(
    [
      { id: "0xfirst", frequency: 0, subscribers: ["0xa"] },
      { id: "0xcancelled", frequency: 0, subscribers: ["0xb", "0xc"], cancelled: true },
      { id: "0xlast", frequency: 0, subscribers: ["0xd"] },
    ],
    { checkpoint: { id: "0xcancelled", subscriberIndex: 1, subscriptionIndex: 2, frequency: 0 } },
  );
  const plan = planRemit(state);
  expect(plan.details.payments.map(({ subscriber, outcome }) => `${subscriber} ${outcome}`)).toEqual([
    "0xb skipped",
    "0xa paid",
  ]);
  expect(plan.details.missed).toEqual([]);
});

test("a payer with several subscriptions pays as long as the balance lasts, and then fails", () => {
  const ids: SubscriptionOptions[] = [
    { id: "0x1", frequency: 0, subscribers: ["0xa"] },
    { id: "0x2", frequency: 0, subscribers: ["0xa"] },
    { id: "0x3", frequency: 0, subscribers: ["0xa"] },
  ];
  const plan = planRemit(remitState(ids, { token: { holdings: only(25n * WHOLE, 1000n * WHOLE) } }));
  expect(plan.details.payments.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
    "0x3 paid",
    "0x2 paid",
    "0x1 fails_balance",
  ]);
  const allowed = planRemit(remitState(ids, { token: { holdings: only(1000n * WHOLE, 15n * WHOLE) } }));
  expect(allowed.details.payments.map(({ outcome }) => outcome)).toEqual([
    "paid",
    "fails_allowance",
    "fails_allowance",
  ]);
});

test("an allowance of 2^256 - 1 is never spent, and one below it is", () => {
  const infinite = 2n ** 256n - 1n;
  for (const [allowance, left] of [
    [infinite, infinite],
    [infinite - 1n, infinite - 1n - 10n * WHOLE],
  ] as const) {
    const state = remitState(due, { token: { holdings: only(10n * WHOLE, allowance) } });
    const after = stateAfterRemits(state, 1).tokens.get(TOKEN)?.holdings.get("0xa");
    expect(after).toEqual({ balance: 0n, allowance: left });
  }
});

test("a blocked account blocks the queue: the plan names id, token, account and, where it is to blame, the subscriber", () => {
  const blockedPlan = (account: Address) =>
    planRemit(remitState(due, { token: { blocked: new Map([[account, "blacklisted"]]) } }));
  expect(blockedPlan("0xa").details.blockedBy).toMatchObject({
    id: "0xid",
    token: TOKEN,
    account: "0xa",
    subscriber: "0xa",
    revert: { code: "blacklisted" },
  });
  expect(blockedPlan("0xprovider").details.blockedBy).toMatchObject({ account: "0xprovider" });
  expect(blockedPlan("0xprovider").details.blockedBy?.subscriber).toBeUndefined();
  expect(blockedPlan(CALLER)).toMatchObject({ end: "blocked", transactions: [], details: { payments: [] } });
});

test("a token whose own reason is a number of the protocol does not count as caught up", () => {
  expect(planRemit(remitState(due, { token: { blocked: new Map([["0xa", "6"]]) } })).end).toBe("blocked");
});

test("the caller gets the rest of the system's share, each rounded to token units separately", () => {
  const system = { systemFeeActive: true, systemFee: 15_000n };
  expect(planRemit(remitState(due, system)).transactions[0]?.callerFees).toEqual([{ token: TOKEN, units: FEE / 2n }]);
  // A caller that is the system receiver as well receives both.
  const both = planRemit(remitState(due, { ...system, systemFeeReceiver: CALLER }));
  expect(both.transactions[0]?.callerFees).toEqual([{ token: TOKEN, units: FEE }]);
  expect(both.details.payments[0]?.callerFee).toBe(FEE / 2n);
});

test("a plan that is cut off is incomplete, and one that fits its limit exactly is complete", () => {
  const state = remitState([{ id: "0xid", frequency: 0, subscribers: ["0xa", "0xb"] }], { maxRemits: 1 });
  expect(planRemit(state, { maxTransactions: 1 })).toMatchObject({ end: "limit", complete: false });
  expect(planRemit(state, { maxTransactions: 2 })).toMatchObject({ end: "caught_up", complete: true });
});

test("a state that lacks what it names is refused, not planned around", () => {
  const state = remitState(due);
  expect(() => planRemit({ ...state, subscriptions: new Map() })).toThrow("lacks subscription 0xid");
  expect(() => planRemit({ ...state, tokens: new Map() })).toThrow("lacks token 0xtoken");
});

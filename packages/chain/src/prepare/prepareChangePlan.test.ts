import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { beginning, playHistory, type Step } from "@dueday/chain/test/randomHistory";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { dateToDay } from "@dueday/core/calendar/dates";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { FREQUENCIES, type Frequency, lastDueDay } from "@dueday/core/calendar/frequency";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { decodeProtocolEvent } from "@dueday/core/events/decodeProtocolEvent";
import { parseRemitLogs } from "@dueday/core/remit/parseRemitLogs";
import { type ReplayContext, type ReplayNode, setUp } from "@dueday/devnet/replay/setUp";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import fc from "fast-check";
import { type Address, type Hex, toHex } from "viem";
import { pinBlock } from "../block/pinBlock";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { readSubscriberFacts } from "../reads/readSubscriberFacts";
import { createRemitStateCache } from "../remit/state/createRemitStateCache";
import { createCoverageReader } from "../walk/createCoverageReader";
import { prepareChangePlan } from "./prepareChangePlan";

const CASES = testDepth === 1 ? 15 : 20 * testDepth;
const GAS = toHex(12_000_000);
const TIMEOUT_MS = 240_000;
/** Days that a keeper settles, at most, until the next charge. */
const MOST_DAYS = 400;

let context: ReplayContext;
let node: ReplayNode;
let client: ChainClient;
let ann: Address;
let untouched: Hex;

beforeAll(async () => {
  ({ context, node } = await setUp(beginning));
  await context.client.setAutomine(false);
  client = createChainClient({ chainId: 31337, rpcUrls: [context.url], requestTimeoutMs: 30_000 });
  ann = context.names.addressOf("ann");
  await playHistory(context, [{ op: "maxRemits", limit: 20 }], async () => {});
  untouched = await context.client.snapshot();
});
afterAll(() => node.stop());

type Plan = Extract<Step, { op: "create" }>;

const plan: fc.Arbitrary<Plan> = fc.constantFrom(...FREQUENCIES).chain((frequency: Frequency) =>
  fc.record({
    op: fc.constant("create" as const),
    by: fc.constantFrom("provider1", "provider2"),
    token: fc.constantFrom("T6", "T18"),
    frequency: fc.constant(frequency),
    dueDay: fc.integer({ min: 1, max: lastDueDay(frequency) }),
    amount: fc.integer({ min: 1, max: 40 }),
  }),
);

/** A wallet that pays the first plan and perhaps the third, and changes to the second after some days. */
const change = fc.record({
  leave: plan,
  join: plan,
  other: plan,
  paysOther: fc.boolean(),
  days: fc.integer({ min: 0, max: 40 }),
  isSettled: fc.boolean(),
  allowance: fc.constantFrom(100, 1_000, 1_000_000),
  approvalPeriods: fc.integer({ min: 1, max: 12 }),
});

/** Plays a case up to the change. @returns the ids of the two plans */
async function play({ leave, join, other, paysOther, days, isSettled, allowance }: Change): Promise<Hex[]> {
  await context.client.revert({ id: untouched });
  untouched = await context.client.snapshot();
  const { number: fromBlock } = await context.client.getBlock();
  await playHistory(
    context,
    [
      leave,
      join,
      other,
      ...["T6", "T18"].map((token) => ({ op: "fund", who: "ann", token, balance: 1_000_000, allowance }) as const),
      { op: "subscribe", sub: 0, by: "ann" },
      ...(paysOther ? [{ op: "subscribe", sub: 2, by: "ann" } as const] : []),
      ...(days === 0 ? [] : [{ op: "warp", days } as const]),
      ...(isSettled ? Array.from({ length: 45 }, () => ({ op: "remit" }) as const) : []),
    ],
    async () => {},
  );
  const logs = await context.client.getLogs({ address: context.contract, fromBlock: fromBlock + 1n });
  return logs.flatMap((log) => {
    const event = decodeProtocolEvent(log);
    return event?.event === "DetailsLog" ? [event.id] : [];
  });
}

type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

async function prepare(leave: Hex, join: Hex, approvalPeriods?: number) {
  const block = await pinBlock(client);
  const coverage = createCoverageReader(createRemitStateCache(context.contract));
  const answer = await prepareChangePlan(client, {
    operation: "prepare_change_plan",
    chain: { contract: context.contract, chainId: 31337, name: "Devnet" },
    coverage,
    block,
    prefetched: Promise.resolve(null),
    from: ann,
    leave,
    join,
    approval: approvalPeriods === undefined ? {} : { approvalPeriods },
  });
  if (!("unsignedTransactions" in answer)) throw new Error("asked for transactions");
  return answer;
}

async function factsOf(id: Hex) {
  const block = await pinBlock(client);
  const target = { contract: context.contract, id, account: ann, block, prefetched: null };
  const facts = await readSubscriberFacts(client, target);
  if (facts === null) throw new Error(`unknown ${id}`);
  return facts;
}

const balanceOf = (token: Address, account: Address) =>
  context.client.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] });

async function sign(calls: readonly { to: string; data: string }[]): Promise<void> {
  for (const { to, data } of calls) {
    const hash = await context.client.request({
      method: "eth_sendTransaction",
      params: [{ from: ann, to: to as Address, data: data as Hex, gas: GAS }], // both were prepared as hex
    });
    await context.client.mine({ blocks: 1 });
    expect((await context.client.getTransactionReceipt({ hash })).status).toBe("success");
  }
}

/** What remit() charges ann for a plan first, when keepers are on time from now on. */
async function firstCharge(id: Hex) {
  const { client: devnet, contract, keeper } = context;
  const { timestamp } = await devnet.getBlock();
  for (let day = 0; day <= MOST_DAYS; day++) {
    await devnet.setNextBlockTimestamp({ timestamp: timestamp + BigInt(day * DAY_SECONDS + 1) });
    for (;;) {
      const call = { from: keeper, to: contract, data: encodeRemit(), gas: GAS };
      const hash = await devnet.request({ method: "eth_sendTransaction", params: [call] });
      await devnet.mine({ blocks: 1 });
      const { status, logs } = await devnet.getTransactionReceipt({ hash });
      if (status === "reverted") break;
      const { handled } = parseRemitLogs(logs, { contract, caller: keeper });
      const charge = handled.find((each) => each.id === id && each.subscriber === ann);
      if (charge !== undefined) return charge;
    }
  }
  throw new Error(`no charge of ${id} within ${MOST_DAYS} days`);
}

describe("a change of plan", () => {
  test(
    `over ${CASES} random cases, weekly to yearly, mid-period, with fee balance: what the preview shows is what is mined`,
    async () => {
      const seen = {
        changes: 0,
        ended: 0,
        withApproval: 0,
        withFeeBalance: 0,
        frequencies: new Set<number>(),
        late: 0,
      };
      for (const each of fc.sample(change, { seed: testSeed, numRuns: CASES })) {
        const [leave = "0x", join = "0x"] = await play(each);
        const before = { leave: await factsOf(leave), join: await factsOf(join) };
        if (before.leave.status !== "active") {
          // A charge failed meanwhile.
          await expect(prepare(leave, join)).rejects.toMatchObject({ code: "NOT_READY" });
          seen.ended++;
          continue;
        }
        const { preflight, unsignedTransactions, simulation } = await prepare(leave, join, each.approvalPeriods);
        const tokens = [before.leave.token.address, before.join.token.address];
        const accounts = [ann, before.leave.record.provider, before.join.record.provider];
        const held = async () =>
          Promise.all(tokens.flatMap((token) => accounts.map((account) => balanceOf(token, account))));
        const heldBefore = await held();
        await sign(unsignedTransactions);

        const paid = BigInt(preflight.join.initialCharge.totalRaw);
        const [toProvider, refund] = [preflight.join.initialCharge.toProviderRaw, preflight.leave.feeBalanceRaw].map(
          BigInt,
        );
        const moved = new Map<string, bigint>();
        const move = (token: Address, account: Address, units = 0n) =>
          moved.set(`${token} ${account}`, (moved.get(`${token} ${account}`) ?? 0n) + units);
        move(before.join.token.address, ann, -paid);
        move(before.join.token.address, before.join.record.provider, toProvider);
        move(before.leave.token.address, before.leave.record.provider, refund);
        const expected = tokens.flatMap((token) => accounts.map((account) => moved.get(`${token} ${account}`) ?? 0n));
        expect((await held()).map((units, index) => units - (heldBefore[index] ?? 0n))).toEqual(expected);
        const after = { leave: await factsOf(leave), join: await factsOf(join) };
        expect([after.leave.status, after.join.status]).toEqual(["unsubscribed", "active"]);
        expect(after.leave.feeBalance).toBe(0n);
        expect(simulation).toMatchObject({ success: true, method: "eth_simulateV1" });

        const { nextChargeDate, nextChargeAmountRaw } = preflight.join;
        const charge = await firstCharge(join);
        expect(charge.dayNumber).toBe(dateToDay(nextChargeDate ?? "") ?? 0);
        // Both take the whole amount.
        expect(["paid", "fee_fill"]).toContain(charge.outcome);
        expect(nextChargeAmountRaw).toBe(preflight.join.requiredAmountRaw);

        seen.changes++;
        seen.frequencies.add(each.join.frequency);
        if (preflight.join.includesApproval) seen.withApproval++;
        if (refund !== 0n) seen.withFeeBalance++;
        if (preflight.join.dueBeforeToday > 0) seen.late++;
      }
      console.log(seen);
      expect(seen.changes).toBeGreaterThan(CASES / 2);
      expect(seen.withFeeBalance).toBeGreaterThan(0);
    },
    TIMEOUT_MS * testDepth,
  );

  const monthly = { op: "create", by: "provider1", token: "T6", frequency: 1, dueDay: 20 } as const;
  const usual: Change = {
    leave: { ...monthly, amount: 10 },
    join: { ...monthly, by: "provider2", amount: 20 },
    other: { ...monthly, amount: 5 },
    paysOther: true,
    days: 3,
    isSettled: true,
    allowance: 100,
    approvalPeriods: 12,
  };

  test.each([
    ["comes", { ...usual, days: 3, isSettled: true }],
    ["is late", { ...usual, days: 40, isSettled: false }],
  ])("the preview has the date of the old plan's charge that it prevents, where that %s", async (_, each) => {
    const [leave = "0x", join = "0x"] = await play(each);
    const { nextDueDate } = (await prepare(leave, join, 12)).preflight.leave;
    expect(dateToDay(nextDueDate ?? "")).toBe((await firstCharge(leave)).dayNumber);
  });

  test("the allowance covers the new plan and the others, and nothing for the plan that is left", async () => {
    const [leave = "0x", join = "0x"] = await play(usual);
    const { preflight, unsignedTransactions } = await prepare(leave, join, 12);
    const { approves, ...first } = { approves: preflight.join.includesApproval, ...unsignedTransactions[0] };
    expect(approves).toBe(true);
    const charge = BigInt(preflight.join.initialCharge.totalRaw);
    const value = charge + 12n * (20n + 5n) * 10n ** 6n;
    expect(first.data).toEndWith(value.toString(16).padStart(64, "0"));
  });

  test("it subscribes before it leaves, in one batch that need not be atomic", async () => {
    const [leave = "0x", join = "0x"] = await play(usual);
    const answer = await prepare(leave, join, 12);
    expect(answer.unsignedTransactions).toHaveLength(3);
    expect(answer.signingMode).toBe("eip5792");
    // A wallet that stops before the last transaction pays both.
    await sign(answer.unsignedTransactions.slice(0, 2));
    expect([(await factsOf(leave)).status, (await factsOf(join)).status]).toEqual(["active", "active"]);
  });

  test("a refusal names the side that it is about", async () => {
    const [leave = "0x", join = "0x", other = "0x"] = await play({ ...usual, paysOther: false });
    const pathsOf = async (from: Hex, to: Hex) => {
      try {
        await prepare(from, to);
      } catch (error) {
        return Object(error).issues?.map(({ code, path }: { code: string; path?: string }) => [code, path]);
      }
      throw new Error("prepared");
    };
    expect(await pathsOf(other, join)).toEqual([["NOT_SUBSCRIBED", "leave"]]);
    await sign((await prepare(leave, join)).unsignedTransactions.slice(0, -1));
    expect(await pathsOf(leave, join)).toEqual([["ALREADY_SUBSCRIBED", "join"]]);
    expect(await pathsOf(leave, leave)).toEqual([["CONTRADICTION", "join"]]);
    expect(await pathsOf(leave, `0x${"9".repeat(64)}`)).toEqual([["UNKNOWN_ID", "join"]]);
    expect(await pathsOf(`0x${"9".repeat(64)}`, join)).toEqual([["UNKNOWN_ID", "leave"]]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { decodeProtocolEvent } from "@dueday/core/events/decodeProtocolEvent";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { adminAbi } from "@dueday/devnet/abi/adminAbi";
import { onlyId } from "@dueday/devnet/onlyId";
import { demo } from "@dueday/devnet/scenarios/demo";
import type { DevnetScenario } from "@dueday/devnet/scenarios/devnetScenario";
import { large } from "@dueday/devnet/scenarios/large";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { Value } from "@sinclair/typebox/value";
import { type Address, encodeFunctionData, getAddress, type Hex } from "viem";
import { pinBlock } from "../block/pinBlock";
import { createChainClient } from "../client/createChainClient";
import type { PlanAlarm } from "./planBacklog";
import { readRemitReadiness } from "./readRemitReadiness";
import { createRemitStateCache } from "./state/createRemitStateCache";

const NOW = Date.UTC(2026, 2, 20, 12) / 1000;
/** Events of payments that succeed. */
const PAID: readonly number[] = [subLogCode.SubscriberPaid, subLogCode.FeeFill];
const CALLER = getAddress("0x00000000000000000000000000000000000d0e00");

/** A devnet of a scenario for the tests of one `describe`; what a test does to it is undone after it. */
function useDevnet(scenario: DevnetScenario) {
  let devnet: Devnet;
  beforeAll(async () => {
    devnet = await startDevnet({ scenario, now: NOW });
  });
  afterAll(() => devnet.stop());
  return {
    get: () => devnet,
    async undoAfter(work: (devnet: Devnet) => Promise<void>) {
      const id = await devnet.client.snapshot();
      try {
        await work(devnet);
      } finally {
        await devnet.client.revert({ id });
      }
    },
  };
}

async function readiness({ url, contract }: Devnet, from: Address = CALLER): Promise<RemitReadiness> {
  const client = createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 20_000 });
  const block = await pinBlock(client);
  const answer = await readRemitReadiness(client, { ...checked(contract), from, block });
  expect([...Value.Errors(RemitReadiness, answer)]).toEqual([]);
  return answer;
}

/** The model checks every plan, and may not differ from the chain. */
function checked(contract: Address) {
  return {
    contract,
    stateCache: createRemitStateCache(contract),
    model: "always" as const,
    onAlarm(alarm: PlanAlarm) {
      throw new Error(`alarm: ${JSON.stringify(alarm)}`);
    },
  };
}

function verdict({ ready, reason, plan, issues }: RemitReadiness) {
  return { ready, reason, end: plan.end, issues: issues.map(({ code }) => code) };
}

function admin({ client, contract }: Devnet, data: Hex) {
  return client.request({ method: "eth_accounts" }).then(([from]) => {
    if (from === undefined) throw new Error("the node has no accounts");
    return send(client, { from, to: contract, data });
  });
}

function id({ subscriptions }: Devnet, name: string): Hex {
  const found = subscriptions[name];
  if (found === undefined) throw new Error(`the scenario has no ${name}`);
  return found;
}

describe("the example of payments missed by paging", () => {
  const devnet = useDevnet(missedPayments);

  test("names the two ids that no transaction of the plan reaches", async () => {
    const answer = await readiness(devnet.get());
    expect(answer.expectedTransactions).toBe(3);
    expect(answer.totalPayments).toBe(3);
    expect(answer.missed).toEqual([
      { id: id(devnet.get(), "monthly3"), dayNumber: answer.currentDay, subscribers: 1 },
      { id: id(devnet.get(), "monthly2"), dayNumber: answer.currentDay, subscribers: 1 },
    ]);
    expect(answer.warnings.map(({ code }) => code)).toEqual(["SEVERAL_TRANSACTIONS", "MISSED_PAYMENTS"]);
  });

  test("still names them when the first page was settled before the plan began, and not the one charged by then", () =>
    devnet.undoAfter(async ({ client, contract, keeper }) => {
      await send(client, { from: keeper.address, to: contract, data: encodeRemit() });
      const answer = await readiness(devnet.get());
      expect(answer.missed.map((each) => each.id)).toEqual([
        id(devnet.get(), "monthly3"),
        id(devnet.get(), "monthly2"),
      ]);
      await send(client, { from: keeper.address, to: contract, data: encodeRemit() });
      const later = await readiness(devnet.get());
      expect(later.totalPayments).toBe(1);
      expect(later.missed.map((each) => each.id)).not.toContain(id(devnet.get(), "weekly"));
    }));

  test("maxRemits 0 is blocked: remit() succeeds and never settles anything", () =>
    devnet.undoAfter(async (chain) => {
      await admin(chain, encodeFunctionData({ abi: adminAbi, functionName: "changeMaxRemits", args: [0n] }));
      const answer = await readiness(chain);
      expect(verdict(answer)).toEqual({ ready: false, reason: "blocked", end: "no_progress", issues: ["NO_PROGRESS"] });
      expect(answer).toMatchObject({ totalPayments: 0, expectedTransactions: 1 });
    }));

  test("strangers who outgrow the subscriber set of the checkpoint's id block everybody, and that id is named", () =>
    devnet.undoAfter(async (chain) => {
      const { client, contract, keeper } = chain;
      await send(client, { from: keeper.address, to: contract, data: encodeRemit() });
      const strangers = (await client.request({ method: "eth_accounts" })).slice(7, 10);
      for (const stranger of strangers) {
        await send(client, { from: stranger, to: contract, data: encodeUnsubscribe(onlyId(id(chain, "weekly"))) });
      }
      const answer = await readiness(chain);
      expect(verdict(answer)).toEqual({ ready: false, reason: "blocked", end: "blocked", issues: ["BLOCKED"] });
      expect(answer.blockedBy).toMatchObject({ id: id(chain, "weekly"), revert: { code: "Panic(17)" } });
    }));
});

describe("a backlog of several days", () => {
  const devnet = useDevnet(demo);

  test("is planned day by day, and a keeper who follows the plan gets exactly it", () =>
    devnet.undoAfter(async (chain) => {
      const { client, contract, keeper } = chain;
      const before = await readiness(chain, keeper.address);
      expect(verdict(before)).toEqual({ ready: true, reason: "due", end: "caught_up", issues: [] });
      expect(before.expectedFailures).toBeGreaterThan(0);
      for (const planned of before.plan.transactions) {
        const receipt = await send(client, { from: keeper.address, to: contract, data: encodeRemit() });
        expect(BigInt(receipt.gasUsed).toString()).toBe(planned.gasUsed ?? "");
      }
      const after = await readiness(chain, keeper.address);
      expect(verdict(after)).toEqual({ ready: false, reason: "caught_up", end: "caught_up", issues: ["CAUGHT_UP"] });
      const nextDay = await client.readContract({
        address: contract,
        abi: protocolAbi,
        functionName: "nextUncheckedDay",
      });
      expect(nextDay).toBe(before.currentDay + 1);
    }));

  test("has by token what its payments take from subscribers, and how many they are", () =>
    devnet.undoAfter(async (chain) => {
      const { client, contract, keeper } = chain;
      const { totals, plan } = await readiness(chain, keeper.address);
      const taken = new Map<string, bigint>();
      let payments = 0;
      for (const _ of plan.transactions) {
        const { logs } = await send(client, { from: keeper.address, to: contract, data: encodeRemit() });
        for (const log of logs) {
          const event = log.address === contract.toLowerCase() ? decodeProtocolEvent(log) : null;
          if (event?.event === "Coordinates") payments++;
          if (event?.event !== "SubLog" || !PAID.includes(event.code)) continue;
          const token = getAddress(event.token);
          const { tokenDecimals = 0 } = totals.byToken?.find((each) => each.token === token) ?? {};
          taken.set(token, (taken.get(token) ?? 0n) + toTokenUnits(event.amount, tokenDecimals));
        }
      }
      expect(taken.size).toBeGreaterThan(1);
      const planned = totals.byToken ?? [];
      expect(Object.fromEntries(planned.map(({ token, amountRaw }) => [token, BigInt(amountRaw)]))).toEqual(
        Object.fromEntries(taken),
      );
      expect(planned.reduce((sum, each) => sum + each.payments, 0)).toBe(payments);
    }));

  test("has the totals of its days and transactions, for any caller", async () => {
    const answer = await readiness(devnet.get());
    const other = await readiness(devnet.get(), devnet.get().keeper.address);
    const add = (values: number[]) => values.reduce((total, value) => total + value, 0);
    expect(add(answer.days.map((day) => day.payments))).toBe(answer.totalPayments);
    expect(add(answer.days.map((day) => day.subscriptions))).toBe(answer.totalSubscriptions);
    expect(add(answer.days.map((day) => day.transactions))).toBe(answer.expectedTransactions);
    expect(add(answer.plan.transactions.map((each) => each.failures))).toBe(answer.expectedFailures);
    expect(other.days).toEqual(answer.days);
    expect(other.economics.callerFees).toEqual(answer.economics.callerFees);
  });
});

describe("a small backlog", () => {
  const devnet = useDevnet(large({ payments: 60, days: 3, maxRemits: 10n }));

  test("is read in two round trips once the client knows the chain and its tokens", async () => {
    const { url, contract } = devnet.get();
    let roundTrips = 0;
    let inFlight = 0;
    const counting = Bun.serve({
      port: 0,
      async fetch(request) {
        if (inFlight++ === 0) roundTrips++;
        const answer = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: await request.text(),
        });
        const text = await answer.text();
        inFlight--;
        return new Response(text);
      },
    });
    try {
      const client = createChainClient({
        chainId: 31337,
        rpcUrls: [counting.url.href],
        requestTimeoutMs: 20_000,
      });
      const block = await pinBlock(client);
      const parameters = { ...checked(contract), from: CALLER, block, model: "where_needed" as const };
      await readRemitReadiness(client, parameters);
      roundTrips = 0;
      await readRemitReadiness(client, parameters);
      expect(roundTrips).toBe(2);
    } finally {
      await counting.stop(true);
    }
  });
});

describe("a large backlog", () => {
  const devnet = useDevnet(large({ payments: 1_000, days: 5, maxRemits: 10n }));

  test("is planned to its end: a hundred transactions and more", async () => {
    const answer = await readiness(devnet.get());
    expect(answer.totalPayments).toBe(1_000);
    expect(answer.expectedFailures).toBe(50);
    expect(answer.expectedTransactions).toBeGreaterThanOrEqual(100);
    expect(verdict(answer)).toEqual({ ready: true, reason: "due", end: "caught_up", issues: [] });
    expect(answer.plan.transactions).toHaveLength(50);
  });
});

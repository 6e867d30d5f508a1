import { afterAll, beforeAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import type { TestApi } from "@dueday/api/test/startTestApi";
import { readAccount } from "@dueday/chain/accounts/readAccount";
import { readAccountHealth } from "@dueday/chain/accounts/readAccountHealth";
import { pinBlock } from "@dueday/chain/block/pinBlock";
import { readHead } from "@dueday/chain/block/readHead";
import { type ChainClient, createChainClient } from "@dueday/chain/client/createChainClient";
import { foreseeSubscribe } from "@dueday/chain/prepare/foreseeSubscribe";
import { readSubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import { readRemitForecast } from "@dueday/chain/remit/readRemitForecast";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { readAtRisk } from "@dueday/chain/subscriptions/readAtRisk";
import { readSubscribers } from "@dueday/chain/subscriptions/readSubscribers";
import { beginning, playHistory } from "@dueday/chain/test/randomHistory";
import { arbitrarySharedHistory, PAYERS } from "@dueday/chain/test/sharedHistory";
import { createCoverageReader } from "@dueday/chain/walk/createCoverageReader";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dateToDay, dayToDate } from "@dueday/core/calendar/dates";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { encodeSubscribe } from "@dueday/core/calldata/encodeSubscribe";
import { willFailEvents } from "@dueday/core/domainEvents/planEvents";
import type { RawLog } from "@dueday/core/events/decodeProtocolEvent";
import { decodeTokenEvent } from "@dueday/core/events/decodeTokenEvent";
import { FORECAST_DAYS } from "@dueday/core/remit/forecastFromPlan";
import { parseRemitLogs } from "@dueday/core/remit/parseRemitLogs";
import type { RemitState } from "@dueday/core/remit/state";
import { INFINITE_ALLOWANCE } from "@dueday/core/remit/tokenLedger";
import { atRiskDays, MOST_COVERED_PAYMENTS, WALK_DAYS } from "@dueday/core/walk/coverage";
import type { CoverageWalk } from "@dueday/core/walk/walkCoverage";
import { testTokenAbi } from "@dueday/devnet/abi/testTokenAbi";
import { onlyId } from "@dueday/devnet/onlyId";
import { type ReplayContext, type ReplayNode, setUp } from "@dueday/devnet/replay/setUp";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import fc from "fast-check";
import { type Address, encodeFunctionData, getAddress, type Hex, toHex } from "viem";

import { createReplayIndex } from "./createReplayIndex";

const HISTORIES = Number(process.env.COVERAGE_HISTORIES ?? 12 * testDepth);
const TIMEOUT_MS = 120_000 + HISTORIES * 8_000;
const CHAIN_ID = 31337;
const EVENT_DAYS = 7;

const index = await createReplayIndex();
let context: ReplayContext;
let node: ReplayNode;
let client: ChainClient;
beforeAll(async () => {
  ({ context, node } = await setUp(beginning));
  await context.client.setAutomine(false);
  client = createChainClient({ chainId: CHAIN_ID, rpcUrls: [context.url], requestTimeoutMs: 30_000 });
});
afterAll(() => node.stop());

type Charge = { id: Hex; subscriber: Address; dayNumber: number; cause: "allowance" | "balance" | null };

/** Remits that are mined in one block; those after the last that has something to do revert. */
const TOGETHER = 4;
/** A year without payments takes 4 million. */
const REMIT_GAS = toHex(7_000_000);

/** What the contract charges over the open days and the next 400, by its own logs. Takes the remits back. */
async function chargeAll(state: RemitState): Promise<Charge[]> {
  const { client: devnet, contract, keeper } = context;
  const snapshot = await devnet.snapshot();
  const timestamp = BigInt((state.today + WALK_DAYS) * DAY_SECONDS + DAY_SECONDS / 2);
  await devnet.setNextBlockTimestamp({ timestamp });
  await devnet.mine({ blocks: 1 });
  const charges: Charge[] = [];
  const judge = createJudge(state);
  for (let isOpen = true; isOpen; ) {
    const hashes: Hex[] = [];
    for (let count = 0; count < TOGETHER; count++) {
      const call = { from: keeper, to: contract, data: encodeRemit(), gas: REMIT_GAS };
      hashes.push(await devnet.request({ method: "eth_sendTransaction", params: [call] }));
    }
    await devnet.mine({ blocks: 1 });
    for (const hash of hashes) {
      const { status, logs } = await devnet.getTransactionReceipt({ hash });
      if (status === "reverted") isOpen = false;
      else charges.push(...judge(logs));
    }
  }
  await devnet.revert({ id: snapshot });
  return charges;
}

/** Follows balances and allowances by the tokens' own transfers, which shows why a charge fails. */
function createJudge(state: RemitState) {
  const { contract, keeper } = context;
  const held = new Map(
    [...state.tokens].map(([token, { holdings }]) => [
      token,
      new Map([...holdings].map(([account, holding]) => [account, { ...holding }])),
    ]),
  );
  const move = (log: RawLog) => {
    const event = decodeTokenEvent(log);
    if (event?.event !== "Transfer") return;
    const accounts = held.get(getAddress(log.address));
    const [from, to] = [accounts?.get(getAddress(event.from)), accounts?.get(getAddress(event.to))];
    if (from !== undefined) {
      from.balance -= event.value;
      if (from.allowance !== INFINITE_ALLOWANCE) from.allowance -= event.value;
    }
    if (to !== undefined) to.balance += event.value;
  };
  return (logs: readonly RawLog[]): Charge[] => {
    const { handled } = parseRemitLogs(logs, { contract, caller: keeper });
    const causes: ("allowance" | "balance")[] = [];
    for (const log of logs) {
      move(log);
      const [payment] = parseRemitLogs([log], { contract, caller: keeper }).handled;
      if (payment?.outcome !== "failed") continue;
      causes.push(causeOf(payment));
    }
    return handled.map(({ outcome, ...payment }) => ({
      ...payment,
      cause: outcome === "failed" ? (causes.shift() ?? null) : null,
    }));
  };

  function causeOf({ id, subscriber }: { id: Hex; subscriber: Address }): "allowance" | "balance" {
    const subscription = state.subscriptions.get(id);
    const token = subscription && state.tokens.get(subscription.token);
    if (subscription === undefined || token === undefined) throw new Error(`unknown plan ${id}`);
    const units = toTokenUnits(subscription.amount, token.decimals);
    const holding = held.get(subscription.token)?.get(subscriber) ?? { balance: 0n, allowance: 0n };
    if (holding.allowance < units) return "allowance";
    if (holding.balance < units) return "balance";
    throw new Error(`${subscriber} has enough for ${id}, and fails`);
  }
}

/** Every plan's figures are what the contract then does. */
function compareCharges(walk: CoverageWalk, charges: readonly Charge[]): void {
  const actual = Map.groupBy(charges, ({ id, subscriber }) => `${id} ${subscriber}`);
  for (const account of accounts()) {
    for (const { id, token } of walk.plansOf(account)) {
      if (walk.state.tokens.get(token)?.paused) continue;
      const own = actual.get(`${id} ${account}`) ?? [];
      const failure = own.find(({ cause }) => cause !== null);
      const passed = own.filter(({ cause }) => cause === null).length;
      const plan = walk.coverageOf(id, account);
      const where = { id, account };
      if (failure !== undefined) {
        const { dayNumber: failsDay, cause } = failure;
        const expected = { coveredPayments: passed, failsDay, cause, estimated: false };
        expect({ ...where, ...plan }).toMatchObject({ ...where, ...expected });
        if (passed > 0) expect({ ...where, ...plan }).toMatchObject({ allowanceCovers: true, balanceCovers: true });
      } else {
        expect({ ...where, ...plan }).toMatchObject({ ...where, estimated: true });
        // The walk is exact up to its end: after 400 days, or where remit() stops for good.
        expect(plan.failsDay ?? Number.POSITIVE_INFINITY).toBeGreaterThan(walk.throughDay);
        expect(plan.coveredPayments).toBeGreaterThanOrEqual(Math.min(passed, MOST_COVERED_PAYMENTS));
        met.set("passes", (met.get("passes") ?? 0) + 1);
      }
      if (failure !== undefined) met.set(`fails by ${failure.cause}`, (met.get(`fails by ${failure.cause}`) ?? 0) + 1);
    }
  }
}

const accounts = () => PAYERS.map((name) => context.names.addressOf(name));
const met = new Map<string, number>();

async function checkHistory(days: number, repaired: number, joins: number): Promise<void> {
  const { contract, keeper, client: devnet } = context;
  const stateCache = createRemitStateCache(contract);
  const coverage = createCoverageReader(stateCache);
  const block = await pinBlock(client);
  const walk = await coverage.read(client, block);
  if (walk === null) throw new Error("the state can't be read");
  const { state } = walk;
  const charges = await chargeAll(state);
  compareCharges(walk, charges);
  const failing = charges.filter(({ cause }) => cause !== null);
  if (charges.length > 0) met.set("histories with charges", (met.get("histories with charges") ?? 0) + 1);

  // Lists, events and the forecast have the same failures.
  const target = { contract, block, from: keeper, stateCache, onAlarm: raise };
  const forecast = await readRemitForecast(client, { ...target, daysAhead: FORECAST_DAYS });
  const keyOf = ({ id, subscriber, dayNumber }: Omit<Charge, "cause">) => `${dayNumber} ${id} ${subscriber}`;
  const within = (daysAhead: number) =>
    failing.filter(({ dayNumber }) => dayNumber <= state.today + daysAhead).map(keyOf);
  const forecastFailures = (forecast.forecast.payments ?? []).filter(({ outcome }) => outcome.startsWith("fails_"));
  expect(forecastFailures.map(keyOf).toSorted()).toEqual(within(FORECAST_DAYS).toSorted());
  const soon = await readRemitForecast(client, { ...target, daysAhead: EVENT_DAYS });
  const eventBlock = {
    number: block.number,
    hash: block.hash,
    timestamp: block.timestamp,
    finalized: false,
  };
  const events = willFailEvents(CHAIN_ID, eventBlock, soon).map(({ data }) => data);
  const announced = events.map(({ id, subscriber, dayNumber }) => `${dayNumber} ${id} ${subscriber}`);
  expect(announced.toSorted()).toEqual(within(EVENT_DAYS).toSorted());
  expect(events.every(({ horizonDays }) => horizonDays === EVENT_DAYS)).toBe(true);

  // The index ends at the head, which is another block than the pinned one in the last second of a day.
  if ((await readHead(client)).hash === block.hash) {
    await index.fill(context);
    await index.serve(context, { rpcUrl: context.url }, (api) => checkEntitlements(api, walk));
  }

  for (const account of accounts()) {
    const page = { contract, account, first: 200, skip: 0, coverage, block };
    for (const row of (await readAccount(client, page)).subscribedTo) {
      if (row.nextDueDate === null) continue;
      const { coveredPayments, failsDay, cause } = walk.coverageOf(idOf(row.subscription.id), account);
      const failsOn = failsDay === null ? null : dayToDate(failsDay);
      expect(row).toMatchObject({ coveredPayments, failsOn, cause, hindrance: null });
    }
  }
  for (const [id, { frequency, cancelled }] of state.subscriptions) {
    const listed = await readSubscribers(client, { contract, id, first: 200, skip: 0, coverage, block });
    if (cancelled || listed === null) continue;
    for (const { subscriber, coveredPayments, failsOn, atRisk } of listed.subscribers) {
      const plan = walk.coverageOf(id, subscriber);
      expect({ id, subscriber, coveredPayments, failsOn, atRisk }).toEqual({
        id,
        subscriber,
        coveredPayments: plan.coveredPayments,
        failsOn: plan.failsDay === null ? null : dayToDate(plan.failsDay),
        atRisk: failing.some(
          (each) =>
            each.id === id && each.subscriber === subscriber && each.dayNumber <= state.today + atRiskDays(frequency),
        ),
      });
    }
  }

  // The lists of all providers have every failure within one period of its plan, and none besides.
  const providers = new Set([...state.subscriptions.values()].map(({ provider }) => provider));
  const ofProviders = await Promise.all(
    [...providers].map((provider) => readAtRisk(client, { contract, provider, first: 200, skip: 0, coverage, block })),
  );
  const atRisk = ofProviders.flatMap(({ provider, atRisk: rows }) =>
    rows.map(({ id, subscriber, failsOn, cause }) => ({ provider, id, subscriber, failsOn, cause })),
  );
  const failsSoon = failing.flatMap(({ id, subscriber, dayNumber, cause }) => {
    const plan = state.subscriptions.get(id);
    if (plan === undefined || dayNumber > state.today + atRiskDays(plan.frequency)) return [];
    return [{ provider: plan.provider, id, subscriber, failsOn: dayToDate(dayNumber), cause }];
  });
  expect(atRisk).toHaveLength(failsSoon.length);
  expect(atRisk).toEqual(expect.arrayContaining(failsSoon));
  if (atRisk.length > 0) met.set("at risk", (met.get("at risk") ?? 0) + 1);

  // Health lists the failures of the window, and after its repair none occurs.
  const account = context.names.addressOf(PAYERS[repaired] ?? "ann");
  const parameters = { contract, account, days, coverage, block };
  const health = await readAccountHealth(client, parameters);
  const listed = new Set(health.failures.map(({ id, date }) => `${dateToDay(date ?? "")} ${id}`));
  const own = failing.filter((each) => each.subscriber === account && each.dayNumber <= state.today + days);
  for (const { dayNumber, id } of own) expect([...listed]).toContain(`${dayNumber} ${id}`);
  expect(health.failures.length > 0).toBe(own.length > 0);
  if (health.failures.length > 0) {
    const snapshot = await devnet.snapshot();
    await repair(account, health);
    const repairedWalk = await createCoverageReader(createRemitStateCache(contract)).read(
      client,
      await pinBlock(client),
    );
    if (repairedWalk === null) throw new Error("the state can't be read");
    const after = await chargeAll(repairedWalk.state);
    const left = after.filter(
      (each) => each.cause !== null && each.subscriber === account && each.dayNumber <= state.today + days,
    );
    expect(left).toEqual([]);
    await devnet.revert({ id: snapshot });
    met.set("repaired", (met.get("repaired") ?? 0) + 1);
  }
  await checkJoin(walk, joins);
}

/** What a merchant asks of each account and plan: coverage is that of the walk, and who pays in it is entitled. */
async function checkEntitlements(api: TestApi, walk: CoverageWalk): Promise<void> {
  for (const account of accounts()) {
    const paid = new Map(walk.plansOf(account).map((plan) => [plan.id, plan]));
    for (const id of walk.state.subscriptions.keys()) {
      const { status, body } = await callApi(api, `/subscriptions/${id}/entitlement?account=${account}`);
      const { coveredPayments, failsOn, cause, nextDueDate, entitled, state } = body;
      const where = { id, account, status };
      if (!paid.has(id)) {
        expect({ ...where, coveredPayments, failsOn, cause, nextDueDate }).toEqual({
          ...where,
          status: 200,
          coveredPayments: 0,
          failsOn: null,
          cause: null,
          nextDueDate: null,
        });
        continue;
      }
      const plan = walk.coverageOf(id, account);
      expect({ ...where, coveredPayments, failsOn, cause, entitled }).toEqual({
        ...where,
        status: 200,
        coveredPayments: plan.coveredPayments,
        failsOn: plan.failsDay === null ? null : dayToDate(plan.failsDay),
        cause: plan.cause,
        entitled: true,
      });
      const dueDay = nextDueDate === null ? null : dateToDay(String(nextDueDate));
      const isDue = dueDay !== null && dueDay <= walk.state.today;
      expect({ ...where, state }).toEqual({ ...where, state: isDue ? "past_due" : "active" });
      met.set("entitled", (met.get("entitled") ?? 0) + 1);
    }
  }
}

/** What readiness models of subscribing is the state that the contract then has, and its runway that of the walk from there. */
async function checkJoin(walk: CoverageWalk, joins: number): Promise<void> {
  const { contract, client: devnet } = context;
  const account = context.names.addressOf(PAYERS[joins % PAYERS.length] ?? "ann");
  const ids = [...walk.state.subscriptions.keys()];
  const id = ids[joins % Math.max(1, ids.length)];
  if (id === undefined) return;
  const block = await pinBlock(client);
  const facts = await readSubscriberFacts(client, { contract, id, block, prefetched: null, account });
  if (facts === null || facts.status === "active" || facts.record.provider === account) return;
  const snapshot = await devnet.snapshot();
  await devnet.setNextBlockTimestamp({ timestamp: block.timestamp + 1n });
  const call = { from: account, to: contract, data: encodeSubscribe(onlyId(id)), gas: REMIT_GAS };
  const hash = await devnet.request({ method: "eth_sendTransaction", params: [call] });
  await devnet.mine({ blocks: 1 });
  const { status } = await devnet.getTransactionReceipt({ hash });
  if (status === "success") {
    const outlook = await foreseeSubscribe(facts, walk, {});
    const joined = await createCoverageReader(createRemitStateCache(contract)).read(client, await pinBlock(client));
    if (joined === null) throw new Error("the state can't be read");
    const { coveredPayments } = joined.coverageOf(id, account);
    const { periodsByAllowance, periodsByBalance } = outlook.runway;
    // Where one of both alone decides, that figure is the plan's.
    if (periodsByBalance === MOST_COVERED_PAYMENTS) expect(coveredPayments).toBe(periodsByAllowance);
    if (periodsByAllowance === MOST_COVERED_PAYMENTS) expect(coveredPayments).toBe(periodsByBalance);
    met.set("joined", (met.get("joined") ?? 0) + 1);
  }
  await devnet.revert({ id: snapshot });
}

async function repair(
  account: Address,
  { tokens, repair: { approve, topUp } }: Awaited<ReturnType<typeof readAccountHealth>>,
) {
  const { client: devnet, contract } = context;
  for (const { token, allowanceRaw, balanceRaw } of tokens) {
    const allowance = approve.find((each) => each.token === token)?.amountRaw ?? allowanceRaw;
    const added = topUp.find((each) => each.token === token)?.amountRaw ?? "0";
    const args = [account, contract, BigInt(balanceRaw) + BigInt(added), BigInt(allowance)] as const;
    const data = encodeFunctionData({ abi: testTokenAbi, functionName: "fund", args });
    const call = { from: context.names.addressOf("admin"), to: getAddress(token), data, gas: REMIT_GAS };
    await devnet.request({ method: "eth_sendTransaction", params: [call] });
  }
  const { timestamp } = await devnet.getBlock();
  await devnet.setNextBlockTimestamp({ timestamp: timestamp + 1n });
  await devnet.mine({ blocks: 1 });
}

function raise(alarm: object): never {
  throw new Error(`alarm: ${JSON.stringify(alarm)}`);
}

function idOf(text: string): Hex {
  if (!text.startsWith("0x")) throw new Error(`${text} is not an id`);
  return `0x${text.slice(2)}`;
}

test(
  "over 400 days the contract charges what coverage foresees, in random histories with shared tokens (FC_SEED repeats them); after a repair nothing fails",
  async () => {
    console.log(`${HISTORIES} histories of seed ${testSeed}`);
    await fc.assert(
      fc.asyncProperty(
        arbitrarySharedHistory,
        fc.constantFrom(7, 35, 120, WALK_DAYS),
        fc.nat({ max: PAYERS.length - 1 }),
        fc.nat({ max: 30 }),
        async (history, days, repaired, joins) => {
          const snapshot = await context.client.snapshot();
          try {
            await playHistory(context, history, async () => {});
            await checkHistory(days, repaired, joins);
          } finally {
            await context.client.revert({ id: snapshot });
          }
        },
      ),
      { numRuns: HISTORIES, seed: testSeed, endOnFailure: true },
    );
    console.log([...met].map(([name, count]) => `${name}: ${count}`).join(", "));
    expect([...met.keys()]).toEqual(
      expect.arrayContaining(["passes", "fails by allowance", "fails by balance", "repaired", "at risk", "entitled"]),
    );
  },
  TIMEOUT_MS,
);

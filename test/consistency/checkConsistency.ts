import { expect } from "bun:test";
import { readAccount } from "@dueday/chain/accounts/readAccount";
import { pinBlock } from "@dueday/chain/block/pinBlock";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { readDueDays } from "@dueday/chain/due/readDueDays";
import { presentForecast } from "@dueday/chain/remit/presentForecast";
import { readRemitForecast } from "@dueday/chain/remit/readRemitForecast";
import { readRemitReadiness } from "@dueday/chain/remit/readRemitReadiness";
import type { RemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { createCoverageReader } from "@dueday/chain/walk/createCoverageReader";
import { dateToDay } from "@dueday/core/calendar/dates";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { decodeProtocolEvent } from "@dueday/core/events/decodeProtocolEvent";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { FORECAST_DAYS } from "@dueday/core/remit/forecastFromPlan";
import type { ForecastView } from "@dueday/core/remit/forecastView";
import type { DueDay } from "@dueday/core/snapshots/dueDay";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Database } from "@dueday/db/connectDatabase";
import { readSettledDays } from "@dueday/db/history/readSettledDays";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import { indexLogs } from "@dueday/worker/indexer/indexLogs";
import { indexContext } from "@dueday/worker/test/indexFixture";
import { type Address, type Hex, toHex } from "viem";

const CHAIN_ID = 31337;
/** Days that are compared before the first open one, and after today. */
const DAYS_BEFORE = 3;
const DAYS_AFTER = 9;

export type Consistency = {
  /** Compares all answers at the head with each other and with the record of the chain's own logs. */
  compare(): Promise<void>;
  /** Compares what the due lists call open with what remit() then charges, and takes the remits back. */
  charge(): Promise<void>;
  counts: Record<"answers" | "openPayments" | "settledPayments" | "missed" | "blocked" | "paged" | "charges", number>;
};

type Parts = { context: ReplayContext; database: Database; stateCache: RemitStateCache; accounts: readonly Address[] };

export function createConsistency({ context, database, stateCache, accounts }: Parts): Consistency {
  const { url, contract, keeper } = context;
  const counts = { answers: 0, openPayments: 0, settledPayments: 0, missed: 0, blocked: 0, paged: 0, charges: 0 };
  const fixture = { url, contract, chainId: CHAIN_ID };
  const coverage = createCoverageReader(stateCache);
  const onAlarm = (alarm: object) => {
    throw new Error(`alarm: ${JSON.stringify(alarm)}`);
  };

  async function readAll() {
    await indexLogs(indexContext({ ...fixture, database }), new AbortController().signal);
    const client = createChainClient({ chainId: CHAIN_ID, rpcUrls: [url], requestTimeoutMs: 10_000 });
    const block = await pinBlock(client);
    const target = { contract, block, from: keeper, stateCache, onAlarm };
    const readiness = await readRemitReadiness(client, { ...target, model: "always" });
    const forecast = await readRemitForecast(client, { ...target, daysAhead: FORECAST_DAYS });
    const { currentDay, nextUncheckedDay } = readiness;
    const from = Math.min(nextUncheckedDay, currentDay) - DAYS_BEFORE;
    const to = Math.max(nextUncheckedDay, currentDay) + DAYS_AFTER;
    const days = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
    const due = await readDueDays(client, {
      ...target,
      days,
      readSettled: (of, next) =>
        readSettledDays(
          database,
          { chainId: CHAIN_ID, contract },
          { days: of, nextUncheckedDay: next, block, patienceMs: 0 },
        ),
    });
    return { client, block, readiness, forecast, due };
  }

  async function compare() {
    const { client, block, readiness, forecast, due } = await readAll();
    counts.answers++;
    const view = presentForecast(forecast, null);
    comparePlan(due, readiness, view);
    compareRecord(due, readiness, await recordOf(context));
    for (const account of accounts) {
      const page = { contract, account, first: 200, skip: 0, block, coverage };
      compareAccount(await readAccount(client, page), { due, forecast, account });
    }
    for (const { dayState, totals, settled, missed } of due) {
      counts.openPayments += totals.payments;
      counts.settledPayments += settled?.payments ?? 0;
      counts.missed += missed.subscriptions;
      if (dayState === "partly_settled") counts.paged++;
    }
    if (readiness.plan.end !== "caught_up") counts.blocked++;
  }

  async function charge() {
    const { due, readiness } = await readAll();
    if (readiness.plan.end === "no_progress") return;
    const { client } = context;
    const snapshot = await client.snapshot();
    const charged = await remitUntilRefused(context);
    await client.revert({ id: snapshot });
    const open = new Map<string, number>();
    for (const { dayNumber: day, lists } of due.filter(({ dayNumber: day }) => day <= readiness.currentDay)) {
      for (const { id, payments } of lists.flatMap(({ subscriptions }) => subscriptions)) {
        if (payments > 0) open.set(`${day} ${id}`, payments);
      }
    }
    expect(sorted(charged)).toEqual(sorted(open));
    counts.charges += [...charged.values()].reduce((sum, each) => sum + each, 0);
  }

  return { compare, charge, counts };
}

/** Due lists, plan and forecast have the same payments, failures, missed ids and end. */
function comparePlan(due: readonly DueDay[], readiness: RemitReadiness, forecast: ForecastView): void {
  const { currentDay, nextUncheckedDay, plan } = readiness;
  expect(forecast).toMatchObject({ currentDay, nextUncheckedDay });
  expect(forecast.backlog).toMatchObject({
    payments: readiness.totalPayments,
    expectedFailures: readiness.expectedFailures,
    transactions: readiness.expectedTransactions,
  });
  if (plan.end !== "caught_up") {
    expect(forecast.end).toBe(plan.end);
    expect(forecast.blockedBy).toEqual(readiness.blockedBy);
    expect(forecast.days.every(({ blocked, payments }) => blocked && payments === 0)).toBe(true);
  }
  const planned = new Map(readiness.days.map((day) => [day.dayNumber, day]));
  const ahead = new Map(forecast.days.map((day) => [day.dayNumber, day]));
  for (const day of due) {
    const { totals, dayState } = day;
    const shown = { dayNumber: day.dayNumber, payments: totals.payments, failures: totals.expectedFailures };
    if (day.dayNumber < nextUncheckedDay) {
      expect({ ...shown, dayState }).toEqual({ ...shown, payments: 0, failures: 0, dayState: "settled" });
    } else if (day.dayNumber <= currentDay) {
      const own = planned.get(day.dayNumber);
      expect(shown).toEqual({ ...shown, payments: own?.payments ?? -1, failures: own?.failures ?? -1 });
      expect(["open", "partly_settled"]).toContain(dayState);
      const missed = readiness.missed.filter((each) => each.dayNumber === day.dayNumber).map(({ id }) => id);
      expect(idsOf(day, "missed")).toEqual(expect.arrayContaining(missed));
    } else {
      const own = ahead.get(day.dayNumber);
      expect(shown).toEqual({ ...shown, payments: own?.payments ?? -1, failures: own?.expectedFailures ?? -1 });
      expect(dayState).toBe("upcoming");
    }
    const rows = day.lists.flatMap(({ subscriptions }) => subscriptions);
    expect(rows.reduce((sum, { payments }) => sum + payments, 0)).toBe(totals.payments);
    for (const { state, payments, chargeable } of rows) {
      expect(chargeable).toBe(payments > 0);
      if (payments > 0) expect(state).toBe(dayState === "upcoming" ? "upcoming" : "open");
    }
  }
}

type Recorded = { payments: number; failures: number };

/** What was charged for a day, read from the logs alone. */
async function recordOf({ client, contract }: ReplayContext): Promise<Map<number, Recorded>> {
  const logs = await client.getLogs({ address: contract, fromBlock: 0n });
  const days = new Map<number, Recorded>();
  let failed = false;
  for (const log of logs) {
    const event = decodeProtocolEvent(log);
    if (event?.event === "Coordinates") {
      const day = days.get(event.nextUncheckedDay) ?? { payments: 0, failures: 0 };
      days.set(event.nextUncheckedDay, {
        payments: day.payments + 1,
        failures: day.failures + (failed ? 1 : 0),
      });
    }
    failed = event?.event === "SubLog" && event.code === subLogCode.Failed;
  }
  return days;
}

function compareRecord(
  due: readonly DueDay[],
  { nextUncheckedDay, currentDay }: RemitReadiness,
  record: Map<number, Recorded>,
) {
  for (const { dayNumber: day, settled, lists } of due) {
    if (settled === null) throw new Error(`what is settled of day ${day} is not known`);
    const isTouched = day < nextUncheckedDay || (day === nextUncheckedDay && day <= currentDay);
    const expected = (isTouched ? record.get(day) : undefined) ?? { payments: 0, failures: 0 };
    expect({ day, payments: settled.payments, failures: settled.failures }).toEqual({ day, ...expected });
    if (day >= nextUncheckedDay) continue;
    // Who joined after the day was closed is not counted: only who was charged, or passed over.
    const rows = lists.flatMap(({ subscriptions }) => subscriptions);
    const charged = rows
      .filter(({ state }) => state === "settled")
      .reduce((sum, { subscribers }) => sum + subscribers, 0);
    expect(charged).toBeLessThanOrEqual(settled.payments);
  }
}

type AccountAnswer = Awaited<ReturnType<typeof readAccount>>;
type Expected = {
  due: readonly DueDay[];
  forecast: Awaited<ReturnType<typeof readRemitForecast>>;
  account: Address;
};

/** nextDueDate is the day of the first payment of the forecast, and no closed day of the due lists. */
function compareAccount({ subscribedTo, created }: AccountAnswer, { due, forecast, account }: Expected): void {
  const { payments, blockedFrom } = forecast.forecast;
  const { today, nextUncheckedDay } = forecast.state;
  const met = (payments ?? []).filter(({ outcome }) => outcome !== "skipped" && outcome !== "missed");
  for (const [rows, subscriber] of [
    [subscribedTo, account],
    [created, null],
  ] as const) {
    for (const { subscription, nextDueDate, status, totalSubscribers } of rows) {
      const own = met.find(
        (payment) => payment.id === subscription.id && (subscriber === null || payment.subscriber === subscriber),
      );
      const day = nextDueDate === null ? null : dateToDay(nextDueDate);
      const where = { id: subscription.id, subscriber, status, totalSubscribers, nextUncheckedDay, today };
      if (day === null) {
        // It charges no subscriber: it is cancelled, left, or paused.
        expect({ ...where, day: own?.dayNumber ?? null }).toEqual({ ...where, day: null });
        continue;
      }
      expect(day).toBeGreaterThanOrEqual(nextUncheckedDay);
      expect(due.find(({ dayNumber: each }) => each === day)?.dayState).not.toBe("settled");
      const isStopped = blockedFrom !== null && day >= blockedFrom;
      const isEmpty = totalSubscribers === 0 || (subscriber === null && own === undefined);
      const isBeyond = day > today + FORECAST_DAYS;
      const missed = due.some((each) => each.dayNumber === day && idsOf(each, "missed").includes(subscription.id));
      if (isStopped || isEmpty || isBeyond || missed) continue;
      expect({ ...where, day }).toEqual({ ...where, day: own?.dayNumber ?? -1 });
    }
  }
}

function idsOf({ lists }: DueDay, state: string): string[] {
  return lists.flatMap(({ subscriptions }) => subscriptions.filter((each) => each.state === state).map(({ id }) => id));
}

/** Payments by day and id of all calls of remit() until one reverts. */
async function remitUntilRefused({ client, contract, keeper }: ReplayContext): Promise<Map<string, number>> {
  const charged = new Map<string, number>();
  for (;;) {
    const hash: Hex = await client.request({
      method: "eth_sendTransaction",
      params: [{ from: keeper, to: contract, data: encodeRemit(), gas: toHex(20_000_000) }],
    });
    await client.mine({ blocks: 1 });
    const { status, logs } = await client.getTransactionReceipt({ hash });
    if (status === "reverted") return charged;
    for (const log of logs) {
      const event = decodeProtocolEvent(log);
      if (event?.event !== "Coordinates") continue;
      const key = `${event.nextUncheckedDay} ${event.id}`;
      charged.set(key, (charged.get(key) ?? 0) + 1);
    }
  }
}

function sorted(map: ReadonlyMap<string, number>): [string, number][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

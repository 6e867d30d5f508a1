import { expect, test } from "bun:test";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import type { DomainEvent, NewDomainEvent } from "@dueday/core/domainEvents/domainEvent";
import { planStateEvent } from "@dueday/core/domainEvents/planEvents";
import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import { type SubLogName, subLogCode } from "@dueday/core/events/subLogEvents";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { block, hex, logAt, newScope, rewindTo } from "@dueday/db/test/smallIndex";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import type { IndexedBlock, IndexedLog } from "../eventIndex/indexedLog";
import { readMetrics } from "../history/readMetrics";
import { rebuildDerived } from "../indexing/rebuildDerived";
import { repairLogs } from "../indexing/repairLogs";
import { storeLogs } from "../indexing/storeLogs";
import type { ContractScope } from "../schema/columns";
import { markSnapshotsOrphaned } from "../snapshots/markSnapshotsOrphaned";
import { writeSnapshots } from "../snapshots/writeSnapshots";
import { appendEvents } from "./appendEvents";
import { pruneOutbox } from "./pruneOutbox";
import { readOutboxBounds, readOutboxPage } from "./readOutbox";
import { recordFailing } from "./recordFailing";

const { database } = await createTestDatabase();
const NOW = new Date("2026-03-01T00:00:00Z");
const [PROVIDER, SUBSCRIBER, TOKEN] = [hex(1, 20), hex(2, 20), hex(7, 20)];

function subLog(name: SubLogName, { id = 1, subscriber = SUBSCRIBER } = {}): ProtocolEvent {
  const parties = { id: hex(id, 32), provider: PROVIDER, subscriber, token: TOKEN };
  return { event: "SubLog", ...parties, timestamp: 1_770_000_000, amount: 10n ** 18n, code: subLogCode[name] };
}

const subscribing = [subLog("Subscribed"), subLog("FeeFill")];

function logsAt(at: IndexedBlock, events: readonly ProtocolEvent[]): IndexedLog[] {
  return events.map((event, index) => logAt(at, index, event, { transaction: 0 }));
}

async function store(
  scope: ContractScope,
  { after, at, events = [] }: { after: IndexedBlock | null; at: IndexedBlock; events?: readonly ProtocolEvent[] },
): Promise<boolean> {
  const created = events.flatMap((each) => (each.event === "SubLog" && each.code === 0 ? [each.id] : []));
  return storeLogs(database, scope, {
    after,
    checkpoint: at,
    blocks: [at],
    logs: logsAt(at, events),
    headNumber: at.number,
    blocksPerSecond: null,
    terms: created.map((id) => ({ id, createdBlock: at.number, frequency: 1, dueDay: 28 })),
    tokens: [{ token: TOKEN, symbol: "USDC", decimals: 6 }],
    confirmedAt: NOW,
    events: { receipts: new Map(), finality: null, since: 0, now: NOW },
  });
}

async function eventsOf(scope: ContractScope): Promise<DomainEvent[]> {
  const page = await readOutboxPage(database, scope, { after: null, first: 1_000 });
  return (page.bodies ?? []).map((body) => JSON.parse(body) as DomainEvent); // what the outbox wrote
}

async function brief(scope: ContractScope): Promise<string[]> {
  return (await eventsOf(scope)).map(({ seq, type, block: { number }, data }) =>
    type === "event.retracted" ? `${seq} ${type} ${Reflect.get(data, "type")} @${number}` : `${seq} ${type} @${number}`,
  );
}

/** An index with blocks 1 and 2: a creation and a subscriber. */
async function smallOutbox() {
  const scope = newScope();
  const create = subLog("Create", { subscriber: hex(0, 20) });
  await store(scope, { after: null, at: block(1), events: [create] });
  await store(scope, { after: block(1), at: block(2), events: subscribing });
  return scope;
}

test("events are written with their logs, in order, from seq 1", async () => {
  const scope = await smallOutbox();
  expect(await brief(scope)).toEqual([
    "1 subscription.created @1",
    "2 subscription.subscribed @2",
    "3 payment.paid @2",
  ]);
});

test("a batch that does not follow the checkpoint writes no event and takes no seq", async () => {
  const scope = await smallOutbox();
  expect(await store(scope, { after: block(1), at: block(2), events: subscribing })).toBe(false);
  expect(await readOutboxBounds(database, scope)).toEqual({ oldestSeq: 1, lastSeq: 3 });
});

test("a rewind retracts the events above it once, in order, and a block that returns writes them again under their ids", async () => {
  const scope = await smallOutbox();
  await rewindTo(database, scope, block(1), NOW);
  await store(scope, { after: block(1), at: block(2, 1), events: [] });
  await rewindTo(database, scope, block(1), NOW);
  await store(scope, { after: block(1), at: block(2), events: subscribing });
  const events = await eventsOf(scope);
  expect(await brief(scope)).toEqual([
    "1 subscription.created @1",
    "2 subscription.subscribed @2",
    "3 payment.paid @2",
    "4 event.retracted subscription.subscribed @2",
    "5 event.retracted payment.paid @2",
    "6 subscription.subscribed @2",
    "7 payment.paid @2",
  ]);
  expect(events.slice(3, 5).map(({ data }) => Reflect.get(data, "id"))).toEqual(events.slice(1, 3).map(({ id }) => id));
  expect(events.slice(5).map(({ id }) => id)).toEqual(events.slice(1, 3).map(({ id }) => id));
  await rewindTo(database, scope, block(1), NOW);
  const ids = (await eventsOf(scope)).filter(({ type }) => type === "event.retracted").map(({ id }) => id);
  expect(new Set(ids).size).toBe(4);
});

test("concurrent writers give seqs without a gap, and a writer that fails takes none", async () => {
  const scope = newScope();
  const [event] = await eventsOf(await smallOutbox());
  if (event === undefined) throw new Error("the outbox has an event");
  const { seq: _, ...fresh } = event;
  const writes = Array.from({ length: 40 }, (_, index) =>
    database.sql
      .begin(async (sql) => {
        const rows = Array.from({ length: 1 + (index % 4) }, () => ({ event: fresh as NewDomainEvent })); // without its seq
        await appendEvents(sql, scope, rows, NOW);
        if (index % 5 === 0) throw new Error("the transaction fails after its events");
        return rows.length;
      })
      .catch(() => 0),
  );
  const total = (await Promise.all(writes)).reduce((sum, count) => sum + count, 0);
  expect((await eventsOf(scope)).map(({ seq }) => seq)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
});

test("a repair writes the events of late logs with later seqs, and retracts those of wrong ones", async () => {
  const scope = await smallOutbox();
  const other = hex(3, 20);
  await store(scope, { after: block(2), at: block(3) });
  const late = [subLog("Subscribed", { subscriber: other }), subLog("FeeFill", { subscriber: other })];
  const events = { receipts: new Map(), finality: null, since: 0, now: NOW };
  const whole = { range: { from: 1, to: 3 }, seen: { rewinds: 0 }, tokens: [], terms: [], events };
  const creation = logsAt(block(1), [subLog("Create", { subscriber: hex(0, 20) })]);
  await repairLogs(database, scope, { ...whole, logs: [...creation, ...logsAt(block(2), [...subscribing, ...late])] });
  expect((await brief(scope)).slice(3)).toEqual(["4 subscription.subscribed @2", "5 payment.paid @2"]);
  await repairLogs(database, scope, { ...whole, logs: [...creation, ...logsAt(block(2), subscribing)] });
  expect((await brief(scope)).slice(5)).toEqual([
    "6 event.retracted subscription.subscribed @2",
    "7 event.retracted payment.paid @2",
  ]);
});

test("a repair replaces an event that a missing log had given another meaning, and leaves those of other blocks alone", async () => {
  const scope = await smallOutbox();
  const removal = [subLog("Unsubscribed"), subLog("ProviderRefund")];
  const receipt = { gasUsed: 1n, costWei: 1n, logs: [] };
  const events = { receipts: new Map([[hex(300, 32), receipt]]), finality: null, since: 0, now: NOW };
  const remit: ProtocolEvent = {
    event: "CallerLog",
    timestamp: 1_770_000_000,
    checkedDay: 20_000,
    caller: hex(9, 20),
    isFinished: true,
  };
  const remits = logsAt(block(4), [remit]);
  const withReceipt = { ...events, receipts: new Map([...events.receipts, [hex(400, 32), receipt] as const]) };
  const batch = { headNumber: 4, blocksPerSecond: null, terms: [], tokens: [], confirmedAt: NOW, events: withReceipt };
  const partly = [...logsAt(block(3), removal.slice(0, 1)), ...remits];
  await storeLogs(database, scope, {
    ...batch,
    after: block(2),
    checkpoint: block(4),
    blocks: [block(3), block(4)],
    logs: partly,
  });
  const logs = [
    ...logsAt(block(1), [subLog("Create", { subscriber: hex(0, 20) })]),
    ...logsAt(block(2), subscribing),
    ...logsAt(block(3), removal),
    ...remits,
  ];
  const whole = { range: { from: 1, to: 4 }, seen: { rewinds: 0 }, tokens: [], terms: [], logs };
  await repairLogs(database, scope, { ...whole, events: { ...events, receipts: new Map() } });
  expect((await brief(scope)).slice(3)).toEqual([
    "4 subscription.unsubscribed @3",
    "5 remit.settled @4",
    "6 event.retracted subscription.unsubscribed @3",
    "7 subscription.unsubscribed @3",
    "8 payment.refunded @3",
  ]);
  const reasons = (await eventsOf(scope)).flatMap(({ data }) => Reflect.get(data, "reason") ?? []);
  expect(reasons).toEqual(["provider", "subscriber"]);
});

const economics = { callerFees: [], gasUsed: "0", estimatedCostWei: "0", estimatedCostEth: "0" };
const plan: RemitReadiness = {
  ready: true,
  reason: "due",
  from: hex(9, 20),
  currentDay: 20_000,
  nextUncheckedDay: 20_000,
  caughtUp: false,
  maxRemits: 5,
  totalSubscriptions: 1,
  totalPayments: 1,
  expectedFailures: 0,
  expectedTransactions: 1,
  days: [],
  plan: { source: "simulated", complete: true, end: "caught_up", transactions: [] },
  totals: { transactions: 1, payments: 1, failures: 0, ...economics },
  economics,
  missed: [],
  warnings: [],
  issues: [],
};

/** Writes the readiness snapshot of a block with its event, as a scan does. */
async function scan(scope: ContractScope, at: IndexedBlock, reason: RemitReadiness["reason"]): Promise<void> {
  const facts = { number: BigInt(at.number), hash: at.hash, timestamp: BigInt(at.timestamp) };
  const row = {
    ...scope,
    kind: "readiness" as const,
    key: "",
    blockNumber: BigInt(at.number),
    blockHash: at.hash,
    blockTimestamp: at.timestamp,
    blockTimestampMs: null,
    computedAt: NOW,
    payload: "{}",
    hash: "",
  };
  await writeSnapshots(database, [row], {
    event: planStateEvent(scope.chainId, facts, { ...plan, reason }),
    block: at,
    now: NOW,
  });
}

const planEvents = async (scope: ContractScope) => (await brief(scope)).filter((line) => line.includes("remit."));

test("the plan writes an event when its state changes, and none while it stays or for an older block", async () => {
  const scope = await smallOutbox();
  await scan(scope, block(2), "due");
  await scan(scope, block(2), "due");
  await store(scope, { after: block(2), at: block(3) });
  await scan(scope, block(3), "nothing_due");
  await scan(scope, block(2), "due");
  await store(scope, { after: block(3), at: block(4) });
  await scan(scope, block(4), "caught_up");
  expect(await planEvents(scope)).toEqual(["4 remit.due @2", "5 remit.caught_up @3"]);
});

test("a reorganisation retracts the plan's events and restores the state before them", async () => {
  const scope = await smallOutbox();
  await scan(scope, block(1), "caught_up");
  await scan(scope, block(2), "due");
  await rewindTo(database, scope, block(1), NOW);
  await store(scope, { after: block(1), at: block(2, 1) });
  await scan(scope, block(2, 1), "caught_up");
  await store(scope, { after: block(2, 1), at: block(3, 1) });
  await scan(scope, block(3, 1), "due");
  expect(await planEvents(scope)).toEqual([
    "4 remit.caught_up @1",
    "5 remit.due @2",
    "8 event.retracted remit.due @2",
    "9 remit.due @3",
  ]);
});

test("a plan of a block that the index then stores another one for is retracted, and one of a replaced block is not written", async () => {
  const scope = await smallOutbox();
  await scan(scope, block(3), "due");
  await store(scope, { after: block(2), at: block(3, 1) });
  expect(await planEvents(scope)).toEqual(["4 remit.due @3", "5 event.retracted remit.due @3"]);
  await rewindTo(database, scope, block(2), NOW);
  await store(scope, { after: block(2), at: block(3, 2) });
  await scan(scope, block(3), "due");
  expect((await planEvents(scope)).length).toBe(2);
});

function willFail(scope: ContractScope, at: IndexedBlock, subscriber: number, dayNumber = 1): NewDomainEvent {
  const amount = { amount: "1", amountRaw: "1000000", tokenDecimals: 6 };
  const parties = {
    id: hex(1, 32),
    provider: PROVIDER,
    subscriber: hex(subscriber, 20),
    token: TOKEN,
    tokenSymbol: "USDC",
  };
  return {
    id: `evt_${at.number}_${subscriber}`,
    type: "payment.will_fail",
    chainId: scope.chainId,
    timestamp: "",
    block: { number: String(at.number), hash: at.hash, timestamp: at.timestamp, finality: "latest", finalized: false },
    data: { ...parties, dayNumber, dueDate: null, outcome: "fails_balance", due: amount, shortfall: amount },
  };
}

test("a payment that will fail is announced once, and again only when it was cured in between", async () => {
  const scope = await smallOutbox();
  const forecast = (at: IndexedBlock, subscribers: number[]) =>
    recordFailing(database, scope, {
      events: subscribers.map((each) => willFail(scope, at, each)),
      block: at,
      now: NOW,
    });
  await forecast(block(2), [4]);
  await store(scope, { after: block(2), at: block(3) });
  await forecast(block(3), [4, 5]);
  expect(await forecast(block(2), [])).toBe(false);
  await store(scope, { after: block(3), at: block(4) });
  await forecast(block(4), [5]);
  await store(scope, { after: block(4), at: block(5) });
  await forecast(block(5), [4, 5]);
  const failing = (await eventsOf(scope)).flatMap(({ type, block: { number }, data }) =>
    type === "payment.will_fail" ? [`${number} ${Reflect.get(data, "subscriber")}`] : [],
  );
  expect(failing).toEqual([`2 ${hex(4, 20)}`, `3 ${hex(5, 20)}`, `5 ${hex(4, 20)}`]);
});

test("a plan or forecast of another block at a height retracts what the one before has written there", async () => {
  const scope = await smallOutbox();
  await scan(scope, block(3), "due");
  await recordFailing(database, scope, { events: [willFail(scope, block(3), 4)], block: block(3), now: NOW });
  await markSnapshotsOrphaned(database, { ...scope, fromBlock: 3n });
  await scan(scope, block(3, 1), "caught_up");
  expect((await brief(scope)).slice(3)).toEqual([
    "4 remit.due @3",
    "5 payment.will_fail @3",
    "6 event.retracted remit.due @3",
    "7 event.retracted payment.will_fail @3",
    "8 remit.caught_up @3",
  ]);
  const again = [willFail(scope, block(3, 1), 4)];
  await recordFailing(database, scope, { events: again, block: block(3, 1), now: NOW });
  await recordFailing(database, scope, { events: again, block: block(3, 2), now: NOW });
  expect((await brief(scope)).slice(8)).toEqual([
    "9 payment.will_fail @3",
    "10 event.retracted remit.caught_up @3",
    "11 event.retracted payment.will_fail @3",
    "12 payment.will_fail @3",
  ]);
});

/** A charge of remit(); `subscriber` by its number. */
const charge = (subscriber: number) =>
  (["SubscriberPaid", "ProviderPaid"] as const).map((name) => subLog(name, { subscriber: hex(subscriber, 20) }));

async function recoveredOf({ chainId }: ContractScope): Promise<number[]> {
  const rows = await database.sql<{ number: number }[]>`
    select block_number::float8 as number from recovered_payments where chain_id = ${chainId} order by block_number`;
  return rows.map(({ number }) => number);
}

test("a charge that passes after it was announced as failing is recorded as recovered, once, and leaves with its block", async () => {
  const scope = await smallOutbox();
  const forecast = (at: IndexedBlock, subscribers: number[]) =>
    recordFailing(database, scope, {
      events: subscribers.map((each) => willFail(scope, at, each)),
      block: at,
      now: NOW,
    });
  await store(scope, { after: block(2), at: block(3), events: charge(2) });
  await forecast(block(3), [2, 4]);
  await store(scope, { after: block(3), at: block(4) });
  // Cured before it was charged.
  await forecast(block(4), []);
  await store(scope, { after: block(4), at: block(5), events: [...charge(2), ...charge(5)] });
  // The announcement was of the charge before.
  await store(scope, { after: block(5), at: block(6), events: charge(2) });
  await forecast(block(6), [2]);
  await store(scope, { after: block(6), at: block(7), events: charge(2) });
  expect(await recoveredOf(scope)).toEqual([5, 7]);
  await rebuildDerived(database, scope);
  expect(await recoveredOf(scope)).toEqual([5, 7]);
  await rewindTo(database, scope, block(6), NOW);
  expect(await recoveredOf(scope)).toEqual([5]);
  await store(scope, { after: block(6), at: block(7, 1) });
  await store(scope, { after: block(7, 1), at: block(8), events: charge(2) });
  expect(await recoveredOf(scope)).toEqual([5, 8]);
  // The first charge of a subscriber that failed and came back was announced by no forecast.
  await forecast(block(8), [2]);
  const back = [subLog("Unsubscribed"), subLog("Failed"), ...subscribing, ...charge(2)];
  await store(scope, { after: block(8), at: block(9), events: back });
  expect(await recoveredOf(scope)).toEqual([5, 8]);
});

test("recovered charges are counted from the chain's day of the first announcement on, whatever the machine's clock, and unknown before", async () => {
  const scope = await smallOutbox();
  const nextDay = (number: number): IndexedBlock => ({
    ...block(number),
    timestamp: block(number).timestamp + DAY_SECONDS,
  });
  const today = dayNumber(nextDay(3).timestamp);
  const count = async () => {
    const periods = () => [
      { start: 0, end: today - 1 },
      { start: today, end: today },
    ];
    const answer = await readMetrics(database, scope, { provider: PROVIDER, periods });
    return typeof answer === "string" ? answer : answer.value?.metrics.map(({ recovered }) => recovered);
  };
  expect(await count()).toEqual([null, null]);
  await store(scope, { after: block(2), at: nextDay(3) });
  await recordFailing(database, scope, { events: [willFail(scope, block(3), 2)], block: block(3), now: NOW });
  const later = charge(2).map((event) => ({ ...event, timestamp: nextDay(4).timestamp }));
  await store(scope, { after: nextDay(3), at: nextDay(4), events: later });
  expect(await count()).toEqual([null, 1]);
});

test("the next charge of a subscriber that will fail is announced, although the one before was to fail until it was paid", async () => {
  const scope = await smallOutbox();
  const forecast = (at: IndexedBlock, dayNumber: number) =>
    recordFailing(database, scope, { events: [willFail(scope, at, 4, dayNumber)], block: at, now: NOW });
  await forecast(block(2), 7);
  for (const [number, dayNumber] of [
    [3, 7],
    [4, 14],
    [5, 14],
  ] as const) {
    await store(scope, { after: block(number - 1), at: block(number) });
    await forecast(block(number), dayNumber);
  }
  const failing = (await eventsOf(scope)).flatMap(({ type, data }) =>
    type === "payment.will_fail" ? [Reflect.get(data, "dayNumber")] : [],
  );
  expect(failing).toEqual([7, 14]);
});

test("pruning deletes from the oldest on; a reader behind it, or beyond the end, gets the bounds alone", async () => {
  const scope = await smallOutbox();
  await database.sql`update outbox set written_at = ${new Date(0).toISOString()}
    where chain_id = ${scope.chainId} and seq <= 2`;
  expect(await pruneOutbox(database, scope, new Date(1_000))).toBe(2);
  expect(await brief(scope)).toEqual(["3 payment.paid @2"]);
  const bounds = { oldestSeq: 3, lastSeq: 3 };
  for (const after of [0, 1, 4]) {
    expect(await readOutboxPage(database, scope, { after, first: 5 })).toEqual({ ...bounds, bodies: null });
  }
  expect(await readOutboxPage(database, scope, { after: 2, first: 5 })).toMatchObject({ ...bounds, nextAfter: 3 });
  expect(await readOutboxPage(database, scope, { after: 3, first: 5 })).toEqual({
    ...bounds,
    bodies: [],
    nextAfter: 3,
  });
  await store(scope, { after: block(2), at: block(3), events: [subLog("Cancel", { subscriber: hex(0, 20) })] });
  expect((await brief(scope)).at(-1)).toBe("4 subscription.cancelled @3");
});

test("a filter passes what it names, and the retractions of it", async () => {
  const scope = await smallOutbox();
  await rewindTo(database, scope, block(1), NOW);
  const seqs = async (filter: NonNullable<Parameters<typeof readOutboxPage>[2]["filter"]>) => {
    const page = await readOutboxPage(database, scope, { after: null, first: 100, filter });
    return (page.bodies ?? []).map((body) => JSON.parse(body).seq);
  };
  expect(await seqs({ types: ["payment.paid"] })).toEqual([3, 5]);
  expect(await seqs({ types: ["event.retracted"] })).toEqual([4, 5]);
  expect(await seqs({ subscriber: SUBSCRIBER })).toEqual([2, 3, 4, 5]);
  expect(await seqs({ subscription: hex(1, 32), provider: PROVIDER })).toEqual([1, 2, 3, 4, 5]);
  expect(await seqs({ subscription: hex(2, 32) })).toEqual([]);
});

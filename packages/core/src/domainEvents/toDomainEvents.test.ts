import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import {
  encodeAbiParameters,
  encodeEventTopics,
  getAddress,
  type Hex,
  hexToString,
  numberToHex,
  pad,
  stringToHex,
} from "viem";
import { erc20Abi } from "../abi/erc20";
import { protocolAbi } from "../abi/protocol";
import type { ProtocolEvent, SubLog } from "../events/protocolEvent";
import { type SubLogName, subLogCode } from "../events/subLogEvents";
import { DomainEvent, type NewDomainEvent } from "./domainEvent";
import type { ChainLog, EventBatch, KnownSubscription, ReceiptFacts, ReceiptLog } from "./eventBatch";
import { readReceiptRecord, receiptsNeeded } from "./readReceipt";
import { toDomainEvents } from "./toDomainEvents";

const CONTRACT = account(99);
const TOKEN = account(50);
const [PROVIDER, SUBSCRIBER, KEEPER] = [account(1), account(2), account(3)];
const ID: Hex = pad("0x7", { size: 32 });
const TX: Hex = pad("0xaa", { size: 32 });
const DAY = 20_000;
const TIME = DAY * 86_400 + 3_600;
const UNIT = 10n ** 18n;

function account(number: number): Hex {
  return numberToHex(number, { size: 20 });
}

function subLog(name: SubLogName, amount: bigint, subscriber = SUBSCRIBER): SubLog {
  const parties = { id: ID, provider: PROVIDER, subscriber, token: TOKEN };
  return { event: "SubLog", ...parties, timestamp: TIME, amount, code: subLogCode[name] };
}

function coordinates(frequency = 1, day = DAY): ProtocolEvent {
  const position = { subscriberIndex: 1n, subscriptionIndex: 1n, frequency: BigInt(frequency) };
  return { event: "Coordinates", id: ID, ...position, nextUncheckedDay: day };
}

function callerLog(checkedDay = DAY, isFinished = true): ProtocolEvent {
  return { event: "CallerLog", timestamp: TIME, checkedDay, caller: KEEPER, isFinished };
}

function transfer(logIndex: number, from: Hex, to: Hex, value: bigint): ReceiptLog {
  const topics = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: { from, to } }) as Hex[]; // all indexed
  return { address: getAddress(TOKEN), topics, data: encodeAbiParameters([{ type: "uint256" }], [value]), logIndex };
}

/** A log of the contract itself, for a receipt: only its place among the others matters. */
function contractLog(logIndex: number, event: SubLog): ReceiptLog {
  const topics = encodeEventTopics({
    abi: protocolAbi,
    eventName: "SubLog",
    args: { id: event.id, provider: event.provider, subscriber: event.subscriber },
  }) as Hex[]; // all three indexed arguments are given
  const types = [{ type: "uint40" }, { type: "uint256" }, { type: "address" }, { type: "uint8" }] as const;
  const data = encodeAbiParameters(types, [event.timestamp, event.amount, event.token, event.code]);
  return { address: getAddress(CONTRACT), topics, data, logIndex };
}

const known: KnownSubscription = {
  provider: PROVIDER,
  token: TOKEN,
  amount: 12n * UNIT,
  frequency: 1,
  dueDay: 5,
  cancelled: false,
  details: { url: "https://example.org", description: "Plan", truncated: false },
};

/** The events of one transaction's logs; log indexes are positions unless a log is null, which is a log of a token. */
function read(events: readonly (ProtocolEvent | null)[], change: Partial<EventBatch> = {}): NewDomainEvent[] {
  const place = { blockNumber: 10, blockHash: pad("0xb", { size: 32 }), transactionHash: TX };
  const logs: ChainLog[] = events.flatMap((event, logIndex) => (event === null ? [] : [{ ...place, logIndex, event }]));
  const found = toDomainEvents({
    chainId: 1,
    contract: CONTRACT,
    logs,
    receipts: new Map(),
    subscriptions: new Map([[ID, known]]),
    terms: new Map(),
    finality: { safeNumber: 9, finalNumber: 9, by: "tag" },
    since: 0,
    tokens: new Map([[TOKEN, { address: getAddress(TOKEN), symbol: "USDX", decimals: 6 }]]),
    ...change,
  });
  for (const event of found) {
    expect(
      [...Value.Errors(DomainEvent, { ...event, seq: 1 })].map(({ path, message }) => `${path} ${message}`),
    ).toEqual([]);
  }
  return found;
}

function receipt(logs: readonly ReceiptLog[]): Pick<EventBatch, "receipts"> {
  const facts: ReceiptFacts = { gasUsed: 100n, costWei: 700n, logs };
  return { receipts: new Map([[TX, facts]]) };
}

const brief = (events: readonly NewDomainEvent[]) =>
  events.map(({ type, data }) => {
    const amounts = ["charged", "toProvider", "toFeeBalance", "refunded", "due"].flatMap((name) => {
      const value: unknown = Reflect.get(data, name);
      return value === undefined ? [] : [`${name} ${Reflect.get(Object(value), "amount")}`];
    });
    const words = ["kind", "reason", "to"].flatMap((name) => Reflect.get(data, name) ?? []);
    return [type, ...words, ...amounts].join(" ");
  });

test("a first payment is a subscription and one initial charge, whatever goes to the fee balance", () => {
  const withRest = [
    subLog("Subscribed", 12n * UNIT),
    subLog("FeeFill", 3n * UNIT),
    null,
    subLog("ProviderPaid", 5n * UNIT),
  ];
  expect(brief(read(withRest))).toEqual([
    "subscription.subscribed",
    "payment.paid initial charged 8 toProvider 5 toFeeBalance 3",
  ]);
  expect(brief(read([subLog("Subscribed", 12n * UNIT), subLog("FeeFill", UNIT)]))).toEqual([
    "subscription.subscribed",
    "payment.paid initial charged 1 toProvider 0 toFeeBalance 1",
  ]);
});

test("a recurring charge is one event for both sides, with its due day and its keeper", () => {
  const [paid] = read(
    [coordinates(1, DAY - 2), subLog("SubscriberPaid", 12n * UNIT), subLog("ProviderPaid", 12n * UNIT), callerLog()],
    {
      ...receipt([]),
    },
  );
  expect(paid).toMatchObject({
    type: "payment.paid",
    data: { kind: "recurring", dayNumber: DAY - 2, keeper: getAddress(KEEPER), charged: { amountRaw: "12000000" } },
  });
});

test.each([
  [0, 12n, "charged 12 toProvider 0 toFeeBalance 12"],
  [1, 12n, "charged 12 toProvider 9 toFeeBalance 3"],
  [2, 12n, "charged 12 toProvider 11 toFeeBalance 1"],
  [3, 12n, "charged 12 toProvider 11 toFeeBalance 1"],
])("a top-up of frequency %p puts the contract's part into the fee balance", (frequency, whole, expected) => {
  const parts = [1n, 4n, 12n, 12n][frequency] ?? 1n;
  const rest = ((whole * UNIT) / parts) * (parts - 1n);
  const logs = [
    coordinates(frequency),
    subLog("FeeFill", whole * UNIT),
    ...(frequency === 0 ? [] : [subLog("ProviderPaid", rest)]),
  ];
  expect(brief(read(logs))).toEqual([`payment.paid recurring ${expected}`]);
});

test("parts of a charge are rounded to token units on their own, as the contract transfers them", () => {
  const amount = 10_000_003_999_999_999_999n;
  const logs = [coordinates(), subLog("FeeFill", amount), subLog("ProviderPaid", (amount / 4n) * 3n)];
  const [event] = read(logs);
  const parts = [amount / 4n / 10n ** 12n, ((amount / 4n) * 3n) / 10n ** 12n];
  expect(event?.data).toMatchObject({
    toFeeBalance: { amountRaw: String(parts[0]) },
    toProvider: { amountRaw: String(parts[1]) },
    charged: { amountRaw: String((parts[0] ?? 0n) + (parts[1] ?? 0n)) },
  });
});

test("a failed charge is a failure and an end by failure, with the refund of the fee balance where there is one", () => {
  const failure = [subLog("Unsubscribed", 12n * UNIT), subLog("Failed", 0n), coordinates(1, DAY - 1)];
  expect(brief(read(failure))).toEqual(["subscription.unsubscribed failure", "payment.failed recurring due 12"]);
  const refunded = [subLog("ProviderRefund", 2n * UNIT), null, ...failure];
  expect(brief(read(refunded))).toEqual([
    "payment.refunded provider refunded 2",
    "subscription.unsubscribed failure",
    "payment.failed recurring due 12",
  ]);
  expect(read(failure)[1]?.data).toMatchObject({ dayNumber: DAY - 1 });
});

test("who ended a subscription follows from the logs around it", () => {
  expect(brief(read([subLog("Unsubscribed", UNIT), subLog("ProviderRefund", 2n * UNIT)]))).toEqual([
    "subscription.unsubscribed subscriber",
    "payment.refunded provider refunded 2",
  ]);
  const removal = [subLog("Unsubscribed", UNIT)];
  const back = receipt([contractLog(0, subLog("Unsubscribed", UNIT)), transfer(1, CONTRACT, SUBSCRIBER, 1_500_000n)]);
  expect(brief(read(removal, back))).toEqual([
    "subscription.unsubscribed provider",
    "payment.refunded subscriber refunded 1.5",
  ]);
  const cleanUp = [...removal, subLog("SubscriberRefund", UNIT)];
  const share = receipt([transfer(2, CONTRACT, SUBSCRIBER, 900_000n)]);
  expect(brief(read(cleanUp, share))).toEqual([
    "subscription.unsubscribed provider",
    "payment.refunded subscriber refunded 0.9",
  ]);
});

test("a refund of nothing is not an event", () => {
  expect(brief(read([subLog("Unsubscribed", UNIT), subLog("ProviderRefund", 0n)]))).toEqual([
    "subscription.unsubscribed subscriber",
  ]);
});

test("a creation is one event with its record and details; a later edit and the cancellation carry what is known by then", () => {
  const details = (url: string): ProtocolEvent => ({
    event: "DetailsLog",
    id: ID,
    provider: PROVIDER,
    timestamp: TIME,
    url,
    description: "a\u202eb",
  });
  const created = subLog("Create", 12n * UNIT, account(0));
  const cancelled = subLog("Cancel", 0n, account(0));
  const events = read([details("https://a.example"), created, details("https://b.example"), cancelled], {
    subscriptions: new Map(),
    terms: new Map([[ID, { frequency: 2, dueDay: 80 }]]),
  });
  expect(events.map(({ type }) => type)).toEqual([
    "subscription.created",
    "subscription.details_changed",
    "subscription.cancelled",
  ]);
  expect(events[0]?.data).toMatchObject({
    record: { amount: "12", frequencyLabel: "QUARTERLY", dueDay: 80, cancelled: false },
    details: { url: "https://a.example", description: "a\ufffdb" },
  });
  expect(events[2]?.data).toMatchObject({ record: { cancelled: true }, details: { url: "https://b.example" } });
});

test("a settled remit has its closed days, payments, fees and lag; refunds and charges that its keeper receives are not fees", () => {
  const refund = subLog("ProviderRefund", 2n * UNIT);
  const logs = [
    callerLog(DAY - 3),
    coordinates(1, DAY - 2),
    subLog("SubscriberPaid", UNIT),
    subLog("ProviderPaid", UNIT),
    null,
    refund,
    null,
    subLog("Unsubscribed", UNIT),
    subLog("Failed", 0n),
    coordinates(1, DAY - 2),
    null,
    callerLog(DAY - 2),
  ];
  const events = read(
    logs,
    receipt([
      transfer(4, SUBSCRIBER, KEEPER, 1_000_000n),
      contractLog(5, refund),
      transfer(6, CONTRACT, KEEPER, 2_000_000n),
      transfer(10, CONTRACT, KEEPER, 30_000n),
    ]),
  );
  const settled = events.at(-1);
  expect(settled).toMatchObject({
    type: "remit.settled",
    transactionHash: TX,
    data: {
      keeper: getAddress(KEEPER),
      closedDays: [DAY - 3, DAY - 2],
      payments: 2,
      failures: 1,
      callerFees: [{ amount: "0.03", symbol: "USDX" }],
      gasUsed: "100",
      costWei: "700",
      lagSeconds: 2 * 86_400 + 3_600,
    },
  });
});

test("ids are stable, and differ by block, log and type", () => {
  const logs = [subLog("Unsubscribed", UNIT), subLog("ProviderRefund", 2n * UNIT)];
  const ids = read(logs).map(({ id }) => id);
  expect(read(logs).map(({ id }) => id)).toEqual(ids);
  expect(new Set([...ids, ...read([null, ...logs]).map(({ id }) => id)]).size).toBe(4);
});

test("logs older than the retention give no event, but later events know what they changed", () => {
  const old = { ...subLog("Create", 12n * UNIT, account(0)), timestamp: TIME - 10 };
  const removed = { ...subLog("Unsubscribed", UNIT), timestamp: TIME - 10 };
  const events = read([old, removed, subLog("Cancel", 0n, account(0))], {
    subscriptions: new Map(),
    terms: new Map([[ID, { frequency: 0, dueDay: 3 }]]),
    since: TIME,
  });
  expect(events.map(({ type }) => type)).toEqual(["subscription.cancelled"]);
  expect(events[0]?.data).toMatchObject({ record: { amount: "12", frequency: 0 } });
});

test("what was created before the first indexed block gives the events that its logs alone describe", () => {
  const events = read([subLog("Cancel", 0n, account(0)), subLog("Subscribed", UNIT), subLog("FeeFill", UNIT)], {
    subscriptions: new Map(),
  });
  expect(events.map(({ type }) => type)).toEqual(["subscription.subscribed", "payment.paid"]);
});

test("the receipts of remit() and of removals are needed, and of nothing else", () => {
  const place = { blockNumber: 1, blockHash: TX, logIndex: 0 };
  const transactions: [string, ProtocolEvent[]][] = [
    ["left", [subLog("Unsubscribed", UNIT), subLog("ProviderRefund", 2n * UNIT)]],
    ["removed", [subLog("Unsubscribed", UNIT)]],
    ["cleaned up", [subLog("Unsubscribed", UNIT), subLog("SubscriberRefund", UNIT)]],
    ["remit", [callerLog()]],
    ["joined", [subLog("Subscribed", UNIT), subLog("FeeFill", UNIT)]],
  ];
  const logs = transactions.flatMap(([name, events]) =>
    events.map((event) => ({ ...place, transactionHash: stringToHex(name), event })),
  );
  expect(receiptsNeeded(logs).map(({ transactionHash }) => hexToString(transactionHash))).toEqual([
    "removed",
    "cleaned up",
    "remit",
  ]);
});

test("the record of a receipt has each removal's refund at its place, 0 where nothing was paid back", () => {
  const left = (logIndex: number, subscriber: Hex) => contractLog(logIndex, subLog("Unsubscribed", UNIT, subscriber));
  const logs = [
    left(3, SUBSCRIBER),
    transfer(4, CONTRACT, SUBSCRIBER, 1_500_000n),
    left(5, account(8)),
    transfer(6, CONTRACT, account(77), 9n),
  ];
  expect(readReceiptRecord({ gasUsed: 100n, costWei: 700n, logs }, CONTRACT)).toEqual({
    gasUsed: 100n,
    costWei: 700n,
    keeperFees: [],
    removalRefunds: [
      { logIndex: 3, units: 1_500_000n },
      { logIndex: 5, units: 0n },
    ],
  });
});

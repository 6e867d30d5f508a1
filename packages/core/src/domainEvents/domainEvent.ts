import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { BlockFinality } from "../finality";
import { listOf } from "../paging";
import { BlockedByView, PaymentOutcome } from "../remit/plan";
import {
  Address,
  Bytes32,
  CalendarDate,
  ChainId,
  Count,
  DayNumber,
  DecimalString,
  described,
  Instant,
  IntegerString,
  Nullable,
  PositiveCount,
  ShortText,
  Subscription,
  TokenAmount,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "../schema";

/** An amount of the event's token: whole tokens, token units, and the decimals that turn one into the other. */
const Amount = Type.Object({
  amount: DecimalString,
  amountRaw: TokenUnits,
  tokenDecimals: TokenDecimals,
});

const Details = Type.Object({
  url: UntrustedText,
  description: UntrustedText,
  truncated: Type.Boolean({ description: "A text was cut to 4 KiB" }),
});

/** `id` is the subscription's. */
const ofProvider = { id: Bytes32, provider: Address };
const ofSubscriber = { ...ofProvider, subscriber: Address, token: Address, tokenSymbol: UntrustedText };
const terms = Type.Object({ ...ofProvider, record: Subscription, details: Nullable(Details) });
const plan = Type.Object({
  currentDay: DayNumber,
  nextUncheckedDay: DayNumber,
  totalSubscriptions: Count,
  totalPayments: Count,
  expectedFailures: Count,
  expectedTransactions: Count,
  callerFees: listOf(TokenAmount),
  blockedBy: Type.Optional(BlockedByView),
});

/** Who ended a membership: `provider` also where its cancelled subscription was cleaned up by the protocol's janitor. */
export const UnsubscribeReason = Type.Union([
  Type.Literal("subscriber"),
  Type.Literal("provider"),
  Type.Literal("failure"),
]);
export type UnsubscribeReason = Static<typeof UnsubscribeReason>;

/** The data of each type of event that follows from a log of the chain. */
const chainEventData = {
  "subscription.created": terms,
  "subscription.cancelled": terms,
  "subscription.details_changed": terms,
  "subscription.subscribed": Type.Object({ ...ofSubscriber, ...Amount.properties }),
  "subscription.unsubscribed": Type.Object({ ...ofSubscriber, ...Amount.properties, reason: UnsubscribeReason }),
  "payment.paid": Type.Object({
    ...ofSubscriber,
    kind: Type.Union([Type.Literal("initial"), Type.Literal("recurring")]),
    charged: Amount,
    toProvider: Amount,
    toFeeBalance: Amount,
    dayNumber: DayNumber,
    keeper: Type.Optional(Address),
  }),
  "payment.failed": Type.Object({
    ...ofSubscriber,
    kind: Type.Literal("recurring"),
    due: Amount,
    dayNumber: DayNumber,
    keeper: Type.Optional(Address),
  }),
  "payment.refunded": Type.Object({
    ...ofSubscriber,
    to: Type.Union([Type.Literal("provider"), Type.Literal("subscriber")]),
    refunded: Amount,
  }),
  "remit.settled": Type.Object({
    transactionHash: Bytes32,
    keeper: Address,
    closedDays: listOf(DayNumber),
    payments: described(Count, "Failures included"),
    failures: Count,
    callerFees: listOf(TokenAmount),
    gasUsed: IntegerString,
    costWei: IntegerString,
    lagSeconds: described(
      Count,
      "Seconds from 00:00 UTC on the oldest day whose payments it settled (without payments, on the last day that it reached) to its block",
    ),
  }),
  "provider.updated": Type.Object({
    provider: Address,
    profile: Type.Object({
      description: UntrustedText,
      company: UntrustedText,
      url: UntrustedText,
      domain: UntrustedText,
      email: UntrustedText,
      misc: UntrustedText,
      truncated: Type.Boolean({ description: "A text was cut to 4 KiB" }),
    }),
  }),
} as const;

/** The data of each type of event that follows from the worker's plan or forecast. */
const planEventData = {
  "remit.due": plan,
  "remit.blocked": plan,
  "remit.caught_up": plan,
  "payment.will_fail": Type.Object({
    ...ofSubscriber,
    dayNumber: DayNumber,
    dueDate: CalendarDate,
    outcome: PaymentOutcome,
    due: Amount,
    shortfall: Amount,
    horizonDays: Type.Optional(
      described(Count, "Number of days ahead for which failures are announced. Absent in events of earlier versions"),
    ),
  }),
} as const;

export const EventId = Type.String({ pattern: "^evt_[0-9a-f]{32}$", maxLength: 36 });

/** The data of an event of each type. */
export const eventData = {
  ...chainEventData,
  ...planEventData,
  "event.retracted": Type.Object({
    id: described(EventId, "Id of the event that is no longer true"),
    type: described(ShortText, "Its type"),
  }),
} as const;

export type EventType = keyof typeof eventData;
export type ChainEventType = keyof typeof chainEventData;
export type PlanEventType = keyof typeof planEventData;
export type EventData<T extends EventType> = Static<(typeof eventData)[T]>;

// Object.keys is typed as string[]; the keys are exactly the event types.
export const eventTypes = Object.keys(eventData) as readonly EventType[];

/** A type of event, e.g. for a filter. */
export const EventTypeName = Type.Union(eventTypes.map((type) => Type.Literal(type)));

const EventBlock = Type.Object({
  number: IntegerString,
  hash: Bytes32,
  timestamp: described(Count, "Unix seconds"),
  finality: {
    ...BlockFinality,
    description: "Finality of the block when the event was written; latest for a retracted block",
  },
  finalized: Type.Boolean({ description: "finality was finalized when the event was written" }),
});

/** The fields of every event, around its `type` and `data`. */
const envelope = {
  id: described(
    EventId,
    "The same for the same log of the same block; of an event of the plan, for the same block, type and payment",
  ),
  seq: described(PositiveCount, "Position in the outbox of the chain: pass the last one as after"),
  chainId: ChainId,
  timestamp: described(Instant, "Time of the event's block; for a retraction, the time when it was found"),
  block: EventBlock,
  transactionHash: Type.Optional(Bytes32),
} as const satisfies TProperties;

/** One event of each type, by its `type`. */
export const DomainEvent = Type.Union(
  eventTypes.map((type) => {
    const { id, seq, ...rest } = envelope;
    return Type.Object({ id, seq, type: Type.Literal(type), ...rest, data: eventData[type] });
  }),
);

type Envelope = Static<ReturnType<typeof Type.Object<typeof envelope>>>;

/** An event of one type. */
export type EventOf<T extends EventType> = Envelope & { type: T; data: EventData<T> };

/** An event as the outbox stores it. The union is discriminated by `type`. */
export type DomainEvent = { [T in EventType]: EventOf<T> }[EventType];

/** An event that has no position in the outbox yet. */
export type NewDomainEvent = { [T in EventType]: Omit<EventOf<T>, "seq"> }[EventType];

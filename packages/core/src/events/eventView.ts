import { type Static, Type } from "@sinclair/typebox";
import {
  Address,
  Bytes32,
  Count,
  DayNumber,
  DecimalString,
  described,
  IsoTime,
  Nullable,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "../schema";
import { subLogNames } from "./subLogEvents";

/** Names of decoded events: those of a SubLog's codes, the protocol's other events, and the two of ERC-20. */
export const EventName = Type.Union([
  ...subLogNames.map((name) => Type.Literal(name)),
  Type.Literal("DetailsLog"),
  Type.Literal("ProvDetailsLog"),
  Type.Literal("CallerLog"),
  Type.Literal("Coordinates"),
  Type.Literal("UList"),
  Type.Literal("Transfer"),
  Type.Literal("Approval"),
]);

/** A decoded event of the protocol or of a token, flat: each event fills the fields it has. Amounts are in token units. */
export const EventView = Type.Object({
  eventName: EventName,
  address: described(Address, "The contract that emitted it"),
  id: Type.Optional(Nullable(Bytes32)),
  provider: Type.Optional(Address),
  subscriber: Type.Optional(Address),
  token: Type.Optional(Address),
  tokenSymbol: Type.Optional(UntrustedText),
  amount: Type.Optional(DecimalString),
  amountRaw: Type.Optional(TokenUnits),
  tokenDecimals: Type.Optional(TokenDecimals),
  from: Type.Optional(Address),
  to: Type.Optional(Address),
  owner: Type.Optional(Address),
  spender: Type.Optional(Address),
  caller: Type.Optional(Address),
  dayNumber: Type.Optional(DayNumber),
  isFinished: Type.Optional(Type.Boolean({ description: "CallerLog: the day is closed, not only a page of it" })),
  url: Type.Optional(UntrustedText),
  description: Type.Optional(UntrustedText),
  truncated: Type.Optional(Type.Boolean({ description: "A text was cut to 4 KiB" })),
  timestamp: Type.Optional(described(Count, "Unix seconds, as the event has it")),
  formattedTimestamp: Type.Optional(IsoTime),
});
export type EventView = Static<typeof EventView>;

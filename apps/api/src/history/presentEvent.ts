import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { timestampToIso } from "@dueday/core/calendar/dates";
import { subLogName, subLogNames } from "@dueday/core/events/subLogEvents";
import { BlockFinality } from "@dueday/core/finality";
import {
  Address,
  Bytes32,
  Count,
  DecimalString,
  described,
  IntegerString,
  IsoTime,
  Nullable,
  oneLine,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "@dueday/core/schema";
import { type Static, Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import type { HistoryEvent } from "./historySource";

/** A SubLog event as answers show it. */
export const HistoryEntry = Type.Object({
  id: Bytes32,
  eventCode: Type.Integer({ minimum: 0, maximum: 9 }),
  eventName: Type.Union(subLogNames.map((name) => Type.Literal(name))),
  provider: Address,
  subscriber: Address,
  token: Address,
  tokenSymbol: UntrustedText,
  amount: { ...DecimalString, description: "In whole tokens; of Failed what the charge would have taken" },
  amountRaw: TokenUnits,
  tokenDecimals: TokenDecimals,
  formattedAmount: described(oneLine(4_500), 'With the symbol, e.g. "12.50 USDC"'),
  timestamp: described(Count, "Unix seconds, as the event has it"),
  formattedTimestamp: IsoTime,
  blockNumber: IntegerString,
  transactionHash: Bytes32,
  logIndex: Nullable(described(Count, "Within the block; null where the source does not have it")),
  finality: {
    ...BlockFinality,
    description: "Whether the safe and finalized blocks include its block now; always latest from a subgraph",
  },
  finalized: Type.Boolean({ description: "finality is finalized" }),
});
export type HistoryEntry = Static<typeof HistoryEntry>;

/** What a summary of a list of events leaves out: `formattedAmount` and `formattedTimestamp` remain. */
export const entryOmits = [
  "eventCode",
  "token",
  "tokenSymbol",
  "amount",
  "amountRaw",
  "tokenDecimals",
  "timestamp",
  "blockNumber",
  "logIndex",
].map((field) => `events.${field}`);

/** An event with its amount in token units. */
export function presentEvent(event: HistoryEvent): HistoryEntry {
  const { id, code, token, tokenSymbol, tokenDecimals, timestamp, blockNumber, transactionHash, logIndex } = event;
  const amounts = amountFields(toTokenUnits(event.amount, tokenDecimals), tokenDecimals);
  return {
    id,
    eventCode: code,
    eventName: subLogName(code),
    provider: getAddress(event.provider),
    subscriber: getAddress(event.subscriber),
    token: getAddress(token),
    tokenSymbol,
    ...amounts,
    formattedAmount: `${withTwoDecimals(amounts.amount, tokenDecimals)} ${tokenSymbol}`,
    timestamp,
    formattedTimestamp: timestampToIso(timestamp),
    blockNumber: String(blockNumber),
    transactionHash,
    logIndex,
    finality: event.finality,
    finalized: event.finality === "finalized",
  };
}

function withTwoDecimals(amount: string, decimals: number): string {
  const [whole, fraction = ""] = amount.split(".");
  const shown = fraction.padEnd(Math.min(2, decimals), "0");
  return shown === "" ? amount : `${whole}.${shown}`;
}

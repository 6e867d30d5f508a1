import { getAddress, type Hex } from "viem";
import type { TokenInfo } from "../amounts/tokenAmount";
import type { Frequency } from "../calendar/frequency";
import type { RawLog } from "../events/decodeProtocolEvent";
import type { ProtocolEvent } from "../events/protocolEvent";
import type { Finality } from "../finality";

/** A decoded log of the protocol and its position on the chain. Hex is lower case. */
export type ChainLog = {
  blockNumber: number;
  /** Within the block. */
  logIndex: number;
  blockHash: Hex;
  transactionHash: Hex;
  event: ProtocolEvent;
};

/** What the receipt of a transaction has beyond the protocol's logs. */
export type ReceiptFacts = {
  gasUsed: bigint;
  /** Everything that its sender paid for gas, the fee of an L1 included. */
  costWei: bigint;
  /** All logs of the transaction, those of tokens included, in order. */
  logs: readonly ReceiptLog[];
};

export type ReceiptLog = RawLog & { /** Within the block. */ logIndex: number };

/** A subscription before the batch, or as the batch creates it. Texts are clean. */
export type KnownSubscription = {
  provider: Hex;
  token: Hex;
  /** 18 decimals. */
  amount: bigint;
  frequency: Frequency;
  dueDay: number;
  cancelled: boolean;
  details: { url: string; description: string; truncated: boolean } | null;
};

/** Logs of whole transactions, and the facts that are needed to make events of them. */
export type EventBatch = {
  chainId: number;
  /** Lower case. */
  contract: Hex;
  /** In the order of the chain. */
  logs: readonly ChainLog[];
  /** At least those that `receiptsNeeded` names. */
  receipts: ReadonlyMap<Hex, ReceiptFacts>;
  /** Subscriptions that the logs name and do not create. */
  subscriptions: ReadonlyMap<Hex, KnownSubscription>;
  /** Terms of those that the logs create. */
  terms: ReadonlyMap<Hex, { frequency: number; dueDay: number }>;
  /** Tokens by lower-case address. */
  tokens: ReadonlyMap<Hex, TokenInfo>;
  /** The safe and final blocks; null where they are not known. */
  finality: Finality | null;
  /** Unix seconds. Older logs give no event; they only change what is known of subscriptions. */
  since: number;
  /** If present, only logs of these blocks give events and need receipts. */
  blocks?: ReadonlySet<number>;
};

/** The record of a token, by its lower-case address. */
export function tokenOf({ tokens }: EventBatch, address: Hex): TokenInfo {
  // Not expected: the contract charges only tokens that it has approved, and the record of a token is read with its
  // first log.
  return tokens.get(address) ?? { address: getAddress(address), symbol: "", decimals: 18 };
}

/** @throws Error when the receipt is missing: the batch needs all that `receiptsNeeded` names */
export function receiptOf({ receipts }: EventBatch, transactionHash: Hex): ReceiptFacts {
  const receipt = receipts.get(transactionHash);
  if (receipt === undefined) throw new Error(`the receipt of ${transactionHash} is missing`);
  return receipt;
}

import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import type { Hex } from "viem";

/** A decoded log and its position on the chain. */
export type IndexedLog = {
  blockNumber: number;
  /** Within the block. */
  logIndex: number;
  blockHash: Hex;
  transactionHash: Hex;
  event: ProtocolEvent;
  /** The unchanged data of the log. */
  data: Hex;
};

/** A block whose hash the index stores. `timestamp` is in unix seconds; `timestampMs` is there where the node shows it. */
export type IndexedBlock = { number: number; hash: Hex; timestamp: number; timestampMs?: number };

/** The terms of a subscription that no event contains (protocol part 1). */
export type SubscriptionTerms = { id: Hex; createdBlock: number; frequency: number; dueDay: number };

/** A token seen in events. `symbol` is cleaned text. */
export type IndexedToken = { token: Hex; symbol: string; decimals: number };

/** A range of blocks; both ends are included. */
export type BlockRange = { from: number; to: number };

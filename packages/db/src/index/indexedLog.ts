import type { IndexedEvent } from "@dueday/core/events/indexedEvent";
import type { Hex } from "viem";

/** A decoded log at its place in the chain. */
export type IndexedLog = {
  blockNumber: number;
  /** Within the block. */
  logIndex: number;
  blockHash: Hex;
  transactionHash: Hex;
  event: IndexedEvent;
  /** The log's data as it came. */
  data: Hex;
};

/** A block that the index stands on. Time in unix seconds. */
export type IndexedBlock = { number: number; hash: Hex; timestamp: number };

/** What no event tells of a subscription (protocol part 1). */
export type SubscriptionTerms = { id: Hex; createdBlock: number; frequency: number; dueDay: number };

/** A token seen in events. The symbol is clean text. */
export type IndexedToken = { token: Hex; symbol: string; decimals: number };

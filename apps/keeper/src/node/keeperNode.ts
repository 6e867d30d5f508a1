import type { RawLog } from "@dueday/core/events/decodeProtocolEvent";
import type { RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { Revert } from "@dueday/core/reverts/revert";
import type { Hex } from "viem";
import type { GasMarket } from "../decide/costRemits";
import type { PriceChain } from "../prices/readPrices";

/** A mined transaction of the keeper. */
export type MinedRemit = {
  hash: Hex;
  success: boolean;
  blockNumber: bigint;
  blockHash: Hex;
  gasUsed: bigint;
  /** Gas and, on a rollup, its fee for data. */
  costWei: bigint;
  logs: readonly RawLog[];
};

/**
 * What became of a broadcast. `known`: the node has this transaction already. `underpriced`: the nonce is held by another one with too
 * high a fee to be replaced, or the fee is too low for the node. `unreachable`: no answer, so the transaction may have been taken.
 */
export type Broadcast =
  | "accepted"
  | "known"
  | "nonce_too_low"
  | "underpriced"
  | "insufficient_funds"
  | "refused"
  | "unreachable";

/** What sending needs of a node. Everything but `broadcast` rejects with a KeeperError when no node answers. */
export type SendNode = {
  /** How many transactions of the keeper are mined, and with those that wait in the node's pool. */
  nonces(): Promise<{ mined: number; pending: number }>;
  /** Sends to all nodes. */
  broadcast(signed: Hex): Promise<Broadcast>;
  receipt(hash: Hex): Promise<MinedRemit | null>;
  /** The keeper's remit() with this nonce, if it was mined in the last blocks. */
  findOwn(nonce: number): Promise<MinedRemit | null>;
};

export type Head = { number: bigint; hash: Hex; timestamp: number };

/** A call of remit(): its gas and the day that it would begin with, or the protocol's revert. */
export type RemitEstimate = { gas: bigint; nextUncheckedDay: number } | { revert: Revert };

export type SimulatedRemit = RemitEffects & { gas: bigint };

/** The keeper's own nodes on one chain. All of it rejects with KeeperError UNREACHABLE when no node answers. */
export type KeeperNode = SendNode &
  PriceChain & {
    head(): Promise<Head>;
    market(): Promise<GasMarket>;
    balance(): Promise<bigint>;
    /** On the state with the transactions that wait in the node's pool, or without. */
    estimateRemit(state: "pending" | "latest"): Promise<RemitEstimate>;
    /** What the next calls of remit() would do on the latest state, up to one that reverts; null where no node can simulate. */
    simulateRemits(count: number): Promise<SimulatedRemit[] | null>;
    /** How many remit() of others were mined after a block, up to another or the latest; null where no node has the logs. */
    countRivals(afterBlock: bigint, toBlock?: bigint): Promise<number | null>;
  };

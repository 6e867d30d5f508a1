import type { RawLog } from "@dueday/core/events/decodeProtocolEvent";
import type { RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { Revert } from "@dueday/core/reverts/revert";
import type { Address, Hex } from "viem";
import type { GasMarket } from "../decide/costRemits";
import type { SignedFees } from "../decide/decide";
import type { PriceChain } from "../prices/readPrices";

/** A mined transaction of the keeper. */
export type MinedRemit = {
  hash: Hex;
  success: boolean;
  blockNumber: bigint;
  /** Its place in the block. */
  index: number;
  gasUsed: bigint;
  /** Gas and, on a rollup, its fee for data. */
  costWei: bigint;
  logs: readonly RawLog[];
};

/**
 * What became of a broadcast. `known`: the node has this transaction already. `underpriced`: another transaction with the nonce has too
 * high a fee to be replaced, or the fee is too low for the node. `unreachable`: no answer, so the transaction may have been accepted.
 */
export type Broadcast =
  | "accepted"
  | "known"
  | "nonce_too_low"
  | "underpriced"
  | "insufficient_funds"
  | "refused"
  | "unreachable";

/** What sending needs of a node. Everything but `broadcast` and `isUsed` rejects with a KeeperError when no node answers. */
export type SendNode = {
  /** How many transactions of the keeper are mined, and how many are mined or wait in the node's pool. */
  nonces(): Promise<{ mined: number; pending: number }>;
  /** Whether every node that answers has seen a transaction with this nonce mined; false where none answers. */
  isUsed(nonce: number): Promise<boolean>;
  /** Sends to all nodes. */
  broadcast(signed: Hex): Promise<Broadcast>;
  receipt(hash: Hex): Promise<MinedRemit | null>;
  /** The keeper's remit() with this nonce, if it was mined in the last minutes; null otherwise, and where no node has the logs. */
  findOwn(nonce: number): Promise<MinedRemit | null>;
};

export type Head = { number: bigint; timestamp: number };

/** A call of remit(): its gas and the day that it would begin with, or the protocol's revert. */
export type RemitEstimate = { gas: bigint; nextUncheckedDay: number } | { revert: Revert };

export type SimulatedRemit = RemitEffects & { gas: bigint };

/** The calls of remit() that succeed before one fails, of those that were simulated. */
export type RemitSimulation = {
  remits: SimulatedRemit[];
  /** `all`: every call succeeds. `reverts`: the next one reverts. `limit`: the node does not simulate more in one request. */
  end: "all" | "reverts" | "limit";
};

/** A remit() of another keeper. */
export type RivalRemit = { hash: Hex; caller: Address; blockNumber: bigint; index: number };

/**
 * The keeper's own nodes on one chain. When no node answers, methods reject with KeeperError UNREACHABLE. Besides the exceptions of
 * `SendNode`, these return null instead: `finalized`, `replayRemit`, `nextUncheckedDay` and, with `toBlock`, `rivals`.
 */
export type KeeperNode = SendNode &
  PriceChain & {
    head(): Promise<Head>;
    /** The highest block that can't be reorganised any more; null where the node does not know it. */
    finalized(): Promise<bigint | null>;
    /** A block that is older than the latest by at least this number of seconds, and by at most about twice that where blocks come at a steady interval; the first one of a young chain. */
    blockBefore(seconds: number): Promise<bigint>;
    market(): Promise<GasMarket>;
    balance(): Promise<bigint>;
    /** At these fees, on the state with the transactions that wait in the node's pool, or without. */
    estimateRemit(state: "pending" | "latest", fees: SignedFees): Promise<RemitEstimate>;
    /**
     * What the next calls of remit() would do on the latest state as transactions with these gas limits and fees; null where no node can
     * simulate.
     */
    simulateRemits(gasLimits: readonly bigint[], fees: SignedFees): Promise<RemitSimulation | null>;
    /** Why remit() reverts on the state after a block, at this gas and these fees; null where it does not, or the state is gone. */
    replayRemit(block: bigint, gas: bigint, fees: SignedFees): Promise<Revert | null>;
    /** The day that is settled next, after a block; null where the state is gone. */
    nextUncheckedDay(block: bigint): Promise<number | null>;
    /** The calls of remit() by others that were mined after a block, up to `toBlock` or the latest; null where no node has the logs. */
    rivals(afterBlock: bigint, toBlock?: bigint): Promise<RivalRemit[] | null>;
  };

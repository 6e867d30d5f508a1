import { reasonRevert } from "@dueday/core/reverts/reasonRevert";
import type { Broadcast, KeeperNode, MinedRemit, RivalRemit, SimulatedRemit } from "@dueday/keeper/node/keeperNode";
import type { Address, Hex } from "viem";
import type { Page } from "./fakeRemit";

export const BLOCK_MS = 200;
export const FIRST_DAY = 20_000;
/** Of each remit(). */
export const GAS = 100_000n;
/** The protocol's revert when every day up to today is settled. */
const SETTLED = "6";
const FINALITY_SECONDS = 128;

/** A transaction of anybody that waits. */
export type PoolTransaction = {
  hash: Hex;
  nonce: number;
  maxFee: bigint;
  tip: bigint;
  gas: bigint;
  isRemit: boolean;
  from: Address;
};
/** How many pages are settled, and nonce and balance of the keeper. */
export type State = { done: number; nonce: number; balance: bigint };
export type Block = {
  state: State;
  receipts: MinedRemit[];
  senders: Map<Hex, PoolTransaction>;
};

/** The chain that a node shows. */
export type ShownChain = {
  blocks: readonly Block[];
  pool(): readonly PoolTransaction[];
  pages: readonly Page[];
  /** The keeper. */
  from: Address;
  /** Of the latest block. */
  baseFee(): bigint;
  showsPool: boolean;
  /** Of a block, unix seconds. */
  timeOf(block: number): number;
  accept(raw: Hex): Broadcast;
  simulate(count: number): SimulatedRemit[];
  /** Days that the first pages close. */
  closedDays(pages: number): number;
};

/** A node of a chain in memory. */
export function createFakeNode(chain: ShownChain): KeeperNode {
  const { blocks, pool, pages, from, baseFee, showsPool, timeOf, accept, simulate, closedDays } = chain;
  const head = (): Block => blocks.at(-1) ?? missing();
  /** The latest block that is at least this old, or the first. */
  const blockAt = (seconds: number) => Math.max(0, blocks.length - 1 - (seconds * 1000) / BLOCK_MS);

  return {
    async head() {
      const number = blocks.length - 1;
      return { number: BigInt(number), timestamp: timeOf(number) };
    },
    finalized: async () => BigInt(blockAt(FINALITY_SECONDS)),
    blockBefore: async (seconds) => BigInt(blockAt(seconds)),
    market: async () => ({ baseFee: baseFee(), tip: 1n, maxFee: 2n * baseFee() + 1n, rollupFees: null }),
    balance: async () => head().state.balance,
    decimals: async () => 0,
    feed: async () => null,
    async nonces() {
      const mined = head().state.nonce;
      const waiting = pool().filter((each) => each.from === from && each.nonce >= mined).length;
      return { mined, pending: mined + (showsPool ? waiting : 0) };
    },
    isUsed: async (nonce) => head().state.nonce > nonce,
    broadcast: async (raw) => accept(raw),
    receipt: async (hash) =>
      blocks.flatMap(({ receipts }) => receipts).find((receipt) => receipt.hash === hash) ?? null,
    async findOwn(nonce) {
      for (const { receipts, senders } of blocks) {
        const found = receipts.find(({ hash, logs }) => {
          const transaction = senders.get(hash);
          return transaction?.from === from && transaction.nonce === nonce && logs.length > 0;
        });
        if (found !== undefined) return found;
      }
      return null;
    },
    async estimateRemit(state) {
      const waiting = state === "pending" && showsPool ? pool().filter(({ isRemit }) => isRemit).length : 0;
      const done = head().state.done + waiting;
      if (pages[done] === undefined) return { revert: reasonRevert(SETTLED) };
      return { gas: GAS, nextUncheckedDay: FIRST_DAY + closedDays(done) };
    },
    async simulateRemits(gasLimits) {
      const remits = simulate(gasLimits.length);
      return { remits, end: remits.length === gasLimits.length ? "all" : "reverts" };
    },
    async replayRemit(block) {
      return pages[blocks[Number(block)]?.state.done ?? 0] === undefined ? reasonRevert(SETTLED) : null;
    },
    nextUncheckedDay: async (block) => FIRST_DAY + closedDays(blocks[Number(block)]?.state.done ?? 0),
    async rivals(after, to) {
      const last = to === undefined ? blocks.length - 1 : Number(to);
      const rivals: RivalRemit[] = [];
      for (let number = Number(after) + 1; number <= last; number++) {
        for (const { hash, index, logs } of blocks[number]?.receipts ?? []) {
          const sender = blocks[number]?.senders.get(hash);
          if (sender === undefined || sender.from === from || logs.length === 0) continue;
          rivals.push({ hash, caller: sender.from, blockNumber: BigInt(number), index });
        }
      }
      return rivals;
    },
  };
}

export function missing(): never {
  throw new Error("the chain has no block");
}

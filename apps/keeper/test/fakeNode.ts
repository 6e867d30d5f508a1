import { reasonRevert } from "@dueday/core/reverts/reasonRevert";
import type { Broadcast, KeeperNode, MinedRemit, SimulatedRemit } from "@dueday/keeper/node/keeperNode";
import type { Address, Hex } from "viem";
import type { Page } from "./fakeRemit";

export const FIRST_DAY = 20_000;
/** Of each remit(). */
export const GAS = 100_000n;
/** The protocol's revert when every day up to today is settled. */
const SETTLED = "6";

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
export type Block = { hash: Hex; state: State; receipts: MinedRemit[]; senders: Map<Hex, PoolTransaction> };

/** The chain that a node shows. */
export type ShownChain = {
  blocks: readonly Block[];
  pool(): readonly PoolTransaction[];
  pages: readonly Page[];
  /** The keeper. */
  from: Address;
  baseFee(block: number): bigint;
  showsPool: boolean;
  /** Unix seconds. */
  time(): number;
  accept(raw: Hex): Broadcast;
  simulate(count: number): SimulatedRemit[];
  /** Days that the first pages close. */
  closedDays(pages: number): number;
};

/** A node of a chain in memory. */
export function createFakeNode(chain: ShownChain): KeeperNode {
  const { blocks, pool, pages, from, baseFee, showsPool, time, accept, simulate, closedDays } = chain;
  const head = (): Block => blocks.at(-1) ?? missing();

  return {
    async head() {
      return { number: BigInt(blocks.length - 1), hash: head().hash, timestamp: time() };
    },
    market: async () => ({ baseFee: baseFee(blocks.length - 1), tip: 1n, rollupFees: null }),
    balance: async () => head().state.balance,
    decimals: async () => 0,
    feed: async () => null,
    async nonces() {
      const mined = head().state.nonce;
      const waiting = pool().filter((each) => each.from === from && each.nonce >= mined).length;
      return { mined, pending: mined + (showsPool ? waiting : 0) };
    },
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
    simulateRemits: async (count) => simulate(count),
    async countRivals(after, to) {
      const young = blocks.slice(Number(after) + 1, to === undefined ? undefined : Number(to) + 1);
      const senders = young.flatMap((block) => [...block.senders.values()]);
      return senders.filter((each) => each.from !== from && each.isRemit).length;
    },
  };
}

export function missing(): never {
  throw new Error("the chain has no block");
}

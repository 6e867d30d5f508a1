import type { RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { Address, Hex } from "viem";
import type { MinedRemit, SendNode } from "../node/keeperNode";

/** Sums over the keeper's transactions on one chain. */
export type Totals = {
  settled: number;
  /** Calls of remit() that settled nothing. */
  reverted: number;
  /** Those of them that were not lost to another keeper. */
  unexplained: number;
  payments: number;
  failures: number;
  /** Token units by token. */
  fees: ReadonlyMap<Address, bigint>;
  costWei: bigint;
  /** The cost of these calls, and of permits that reverted. */
  lossWei: bigint;
  /** Permits submitted. */
  permits: number;
  /** Calls of remit() by others while a backlog was open, and own calls that were too late. */
  lost: number;
};

type Outcome = RemitEffects | { isRival: boolean } | { isPermit: true };

type Entry = {
  mined: MinedRemit;
  outcome: Outcome;
  /** Chain time of its first recheck, unix seconds; null before. */
  seenAt: number | null;
  /** False while a reorganisation has removed it; it may be mined again. */
  counts: boolean;
};

/** The chain's head, and the highest block that can't be reorganised any more; null where the node does not know it. */
export type ChainState = { timestamp: number; finalized: bigint | null };

export type Ledger = {
  /** Adds a mined transaction, each once: what it settled, whether another keeper was faster, or that it was a permit. */
  add(mined: MinedRemit, outcome: Outcome): void;
  addLost(count: number): void;
  totals(): Totals;
  /**
   * Reads the receipts of young transactions again. One that a reorganisation has removed, or now reverts where it succeeded, is taken out of
   * the sums until it is mined as before. @returns the hashes of those that were taken out
   */
  recheck(node: SendNode, chain: ChainState): Promise<Hex[]>;
};

/** After this time a receipt is final on a node that does not know the finalized block. */
const FINAL_SECONDS = 1_800;

export const noTotals: Totals = {
  settled: 0,
  reverted: 0,
  unexplained: 0,
  payments: 0,
  failures: 0,
  fees: new Map(),
  permits: 0,
  lost: 0,
  costWei: 0n,
  lossWei: 0n,
};

export function createLedger(): Ledger {
  const young = new Map<Hex, Entry>();
  let old = noTotals;
  let lost = 0;

  return {
    add(mined, outcome) {
      young.set(mined.hash, { mined, outcome, seenAt: null, counts: true });
    },
    addLost(count) {
      lost += count;
    },
    totals() {
      const sum = [...young.values()].filter(({ counts }) => counts).reduce(addEntry, old);
      return { ...sum, lost: lost + sum.reverted - sum.unexplained };
    },
    async recheck(node, { timestamp, finalized }) {
      const entries = [...young];
      const receipts = await Promise.all(entries.map(([hash]) => node.receipt(hash)));
      const removed: Hex[] = [];
      for (const [position, [hash, entry]] of entries.entries()) {
        const receipt = receipts[position] ?? null;
        const counts = receipt !== null && receipt.success === entry.mined.success;
        const seenAt = entry.seenAt ?? timestamp;
        // A receipt that differs is not kept: the outcome belongs to the first one, with which the next receipts are compared.
        const current = { ...entry, mined: counts ? receipt : entry.mined, counts, seenAt };
        if (entry.counts && !counts) removed.push(hash);
        const isFinal =
          finalized === null ? timestamp - seenAt >= FINAL_SECONDS : (receipt ?? entry.mined).blockNumber <= finalized;
        if (!isFinal) young.set(hash, current);
        else {
          young.delete(hash);
          if (counts) old = addEntry(old, current);
        }
      }
      return removed;
    },
  };
}

function addEntry(sum: Totals, { mined, outcome }: Pick<Entry, "mined" | "outcome">): Totals {
  const costWei = sum.costWei + mined.costWei;
  if ("isPermit" in outcome) {
    if (mined.success) return { ...sum, permits: sum.permits + 1, costWei };
    return { ...sum, costWei, lossWei: sum.lossWei + mined.costWei };
  }
  if ("isRival" in outcome) {
    const unexplained = sum.unexplained + (outcome.isRival ? 0 : 1);
    return { ...sum, reverted: sum.reverted + 1, unexplained, costWei, lossWei: sum.lossWei + mined.costWei };
  }
  return {
    ...sum,
    settled: sum.settled + 1,
    payments: sum.payments + outcome.payments,
    failures: sum.failures + outcome.failures,
    fees: addFees(sum.fees, outcome.callerFees, 1n),
    costWei,
  };
}

/** The sums between two times: `later` minus `earlier`. */
export function subtractTotals(later: Totals, earlier: Totals): Totals {
  return {
    settled: later.settled - earlier.settled,
    reverted: later.reverted - earlier.reverted,
    unexplained: later.unexplained - earlier.unexplained,
    payments: later.payments - earlier.payments,
    failures: later.failures - earlier.failures,
    fees: addFees(
      later.fees,
      [...earlier.fees].map(([token, units]) => ({ token, units })),
      -1n,
    ),
    costWei: later.costWei - earlier.costWei,
    lossWei: later.lossWei - earlier.lossWei,
    permits: later.permits - earlier.permits,
    lost: later.lost - earlier.lost,
  };
}

function addFees(
  fees: ReadonlyMap<Address, bigint>,
  more: readonly { token: Address; units: bigint }[],
  sign: 1n | -1n,
): Map<Address, bigint> {
  const sum = new Map(fees);
  for (const { token, units } of more) sum.set(token, (sum.get(token) ?? 0n) + sign * units);
  return sum;
}

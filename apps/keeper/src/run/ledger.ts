import type { RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { Address, Hex } from "viem";
import type { MinedRemit, SendNode } from "../node/keeperNode";

/** Sums over the keeper's transactions on one chain. */
export type Totals = {
  settled: number;
  reverted: number;
  payments: number;
  failures: number;
  /** Token units by token. */
  fees: ReadonlyMap<Address, bigint>;
  costWei: bigint;
  /** remit() of others while a backlog was open, and own ones that reverted. */
  lost: number;
};

type Entry = {
  mined: MinedRemit;
  effects: RemitEffects | null;
  /** False while a reorganisation has removed it; it may be mined again. */
  counts: boolean;
};

export type Ledger = {
  /** Adds a mined transaction, each once; `effects` is null for one that reverted. */
  add(mined: MinedRemit, effects: RemitEffects | null): void;
  addLost(count: number): void;
  totals(): Totals;
  /**
   * Reads the receipts of young transactions again. One that a reorganisation has removed is taken out of the sums until it is mined
   * again. @returns the hashes of those that were taken out
   */
  recheck(node: SendNode, headNumber: bigint): Promise<Hex[]>;
};

/** Blocks after which a receipt is taken as final. */
const FINAL_BLOCKS = 64n;

export const noTotals: Totals = {
  ...{ settled: 0, reverted: 0, payments: 0, failures: 0, fees: new Map(), costWei: 0n, lost: 0 },
};

export function createLedger(): Ledger {
  const young = new Map<Hex, Entry>();
  let old = noTotals;
  let lost = 0;

  return {
    add(mined, effects) {
      young.set(mined.hash, { mined, effects, counts: true });
    },
    addLost(count) {
      lost += count;
    },
    totals() {
      const sum = [...young.values()].filter(({ counts }) => counts).reduce(addEntry, old);
      return { ...sum, lost: lost + sum.reverted };
    },
    async recheck(node, headNumber) {
      const removed: Hex[] = [];
      for (const [hash, entry] of young) {
        const receipt = await node.receipt(hash);
        const counts = receipt !== null && receipt.success === entry.mined.success;
        const mined = receipt ?? entry.mined;
        if (entry.counts && !counts) removed.push(hash);
        if (headNumber - mined.blockNumber < FINAL_BLOCKS) young.set(hash, { ...entry, mined, counts });
        else {
          young.delete(hash);
          if (counts) old = addEntry(old, { ...entry, mined });
        }
      }
      return removed;
    },
  };
}

function addEntry(sum: Totals, { mined, effects }: Pick<Entry, "mined" | "effects">): Totals {
  const costWei = sum.costWei + mined.costWei;
  if (effects === null) return { ...sum, reverted: sum.reverted + 1, costWei };
  return {
    ...sum,
    settled: sum.settled + 1,
    payments: sum.payments + effects.payments,
    failures: sum.failures + effects.failures,
    fees: addFees(sum.fees, effects.callerFees, 1n),
    costWei,
  };
}

/** What came in between: `later` less `earlier`. */
export function subtractTotals(later: Totals, earlier: Totals): Totals {
  return {
    settled: later.settled - earlier.settled,
    reverted: later.reverted - earlier.reverted,
    payments: later.payments - earlier.payments,
    failures: later.failures - earlier.failures,
    fees: addFees(
      later.fees,
      [...earlier.fees].map(([token, units]) => ({ token, units })),
      -1n,
    ),
    costWei: later.costWei - earlier.costWei,
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

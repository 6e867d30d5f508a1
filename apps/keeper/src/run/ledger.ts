import type { RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { Address, Hex } from "viem";
import type { SendNode } from "../node/keeperNode";
import type { Mined } from "../send/createSender";

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
  /** Calls of remit() by others while a backlog was open, and own calls that were too late. A race that shows in both counts once. */
  lost: number;
};

/** Of a transaction that settled nothing. `isRival`: another keeper's remit() came before it; `rival` is its hash, where a log shows it. */
export type Loss = { isRival: boolean; rival?: Hex };

type Outcome = RemitEffects | Loss | { isPermit: true };

type Entry = {
  mined: Mined;
  outcome: Outcome;
  /** Chain time of its first recheck, unix seconds; null before. */
  seenAt: number | null;
  /** False while a reorganisation has removed it, or has changed its result: it may be mined again, or is added again. */
  counts: boolean;
};

/** The chain's head, and the highest block that can't be reorganised any more; null where the node does not know it. */
export type ChainState = { timestamp: number; finalized: bigint | null };

export type Ledger = {
  /** Adds a mined transaction: what it settled, whether another keeper was faster, or that it was a permit. Replaces an earlier outcome. */
  add(mined: Mined, outcome: Outcome): void;
  /** A backlog begins: the races of the last one are over. */
  startRaces(): void;
  /** Adds calls of remit() by others. Each is one lost race, also where it was faster than an own transaction. */
  addRivals(hashes: readonly Hex[]): void;
  totals(): Totals;
  /**
   * Reads the receipts of young transactions again. One that a reorganisation has removed is taken out of the sums until it is mined again;
   * one that now reverts, or does so no more, until it is added again. @returns those that were taken out
   */
  recheck(node: SendNode, chain: ChainState): Promise<{ removed: Hex[]; changed: Mined[] }>;
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
  /** Lost races of earlier backlogs. */
  let lost = 0;
  /** Those since then, by the hash of the other keeper's remit(), or of the own one where the other is not known. */
  const races = new Set<Hex>();

  return {
    add(mined, outcome) {
      const { hash } = mined.receipt;
      young.set(hash, { mined, outcome, seenAt: null, counts: true });
      if ("isRival" in outcome && outcome.isRival) races.add(outcome.rival ?? hash);
    },
    startRaces() {
      lost += races.size;
      races.clear();
    },
    addRivals(hashes) {
      for (const hash of hashes) races.add(hash);
    },
    totals() {
      const sum = [...young.values()].filter(({ counts }) => counts).reduce(addEntry, old);
      return { ...sum, lost: lost + races.size };
    },
    async recheck(node, { timestamp, finalized }) {
      const entries = [...young];
      const receipts = await Promise.all(entries.map(([hash]) => node.receipt(hash)));
      const removed: Hex[] = [];
      const changed: Mined[] = [];
      for (const [position, [hash, entry]] of entries.entries()) {
        const receipt = receipts[position] ?? null;
        const { mined } = entry;
        if (receipt !== null && receipt.success !== mined.receipt.success) {
          young.set(hash, { ...entry, counts: false });
          changed.push({ ...mined, receipt });
          continue;
        }
        const counts = receipt !== null;
        const seenAt = entry.seenAt ?? timestamp;
        const current = { ...entry, mined: { ...mined, receipt: receipt ?? mined.receipt }, counts, seenAt };
        if (entry.counts && !counts) removed.push(hash);
        const isFinal =
          finalized === null ? timestamp - seenAt >= FINAL_SECONDS : current.mined.receipt.blockNumber <= finalized;
        if (!isFinal) young.set(hash, current);
        else {
          young.delete(hash);
          if (counts) old = addEntry(old, current);
        }
      }
      return { removed, changed };
    },
  };
}

function addEntry(sum: Totals, { mined: { receipt }, outcome }: Pick<Entry, "mined" | "outcome">): Totals {
  const costWei = sum.costWei + receipt.costWei;
  if ("isPermit" in outcome) {
    if (receipt.success) return { ...sum, permits: sum.permits + 1, costWei };
    return { ...sum, costWei, lossWei: sum.lossWei + receipt.costWei };
  }
  if ("isRival" in outcome) {
    const unexplained = sum.unexplained + (outcome.isRival ? 0 : 1);
    return { ...sum, reverted: sum.reverted + 1, unexplained, costWei, lossWei: sum.lossWei + receipt.costWei };
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

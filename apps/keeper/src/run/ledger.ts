import type { RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { Address, Hex } from "viem";
import type { MinedRemit, SendNode } from "../node/keeperNode";
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
  /** The cost of the calls of `reverted`, and of permits that reverted. */
  lossWei: bigint;
  /** Permits submitted. */
  permits: number;
  /** Calls of remit() by others while a backlog was open, or before an own one that was too late: each once. At least the number of the latter. */
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
  /** Adds calls of remit() by others. Each is one lost race, also where it was faster than an own transaction, and stays one after a reorganisation. */
  addRivals(hashes: readonly Hex[]): void;
  totals(): Totals;
  /**
   * Reads the receipts of young transactions again. One that a reorganisation has removed is taken out of the sums until it is mined again;
   * one that now reverts, or does so no more, or settles something else, until it is added again. @returns those that were taken out
   */
  recheck(node: SendNode, chain: ChainState): Promise<{ removed: Hex[]; changed: Mined[] }>;
};

/** After this time a receipt is final on a node that does not know the finalized block. */
const FINAL_SECONDS = 1_800;
/** The most calls of remit() by others that are remembered, so that none counts twice. Older ones are only counted. */
const MOST_RIVALS = 10_000;

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

/** @param effectsOf what a mined remit() settled; null where it settled nothing */
export function createLedger(effectsOf: (receipt: MinedRemit) => RemitEffects | null): Ledger {
  const young = new Map<Hex, Entry>();
  let old = noTotals;
  /** Calls of remit() by others, without those that are known from young entries alone. */
  const rivals = new Set<Hex>();
  let forgotten = 0;

  function addRivals(hashes: readonly Hex[]): void {
    for (const hash of hashes) rivals.add(hash);
    for (const hash of rivals) {
      if (rivals.size <= MOST_RIVALS) return;
      rivals.delete(hash);
      forgotten++;
    }
  }

  function isChanged({ mined, outcome }: Entry, receipt: MinedRemit): boolean {
    if (receipt.success !== mined.receipt.success) return true;
    if ("isPermit" in outcome) return false;
    return !Bun.deepEquals(effectsOf(receipt), "isRival" in outcome ? null : outcome);
  }

  return {
    add(mined, outcome) {
      young.set(mined.receipt.hash, { mined, outcome, seenAt: null, counts: true });
    },
    addRivals,
    totals() {
      const counting = [...young.values()].filter(({ counts }) => counts);
      const sum = counting.reduce(addEntry, old);
      const known = new Set(counting.flatMap(({ outcome }) => rivalOf(outcome)).filter((hash) => !rivals.has(hash)));
      // Where no node has the logs, only the own transactions that were too late are known.
      return { ...sum, lost: Math.max(forgotten + rivals.size + known.size, sum.reverted - sum.unexplained) };
    },
    async recheck(node, { timestamp, finalized }) {
      const entries = [...young];
      const receipts = await Promise.all(entries.map(([hash]) => node.receipt(hash)));
      const removed: Hex[] = [];
      const changed: Mined[] = [];
      for (const [position, [hash, entry]] of entries.entries()) {
        const receipt = receipts[position] ?? null;
        const { mined } = entry;
        if (receipt !== null && isChanged(entry, receipt)) {
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
          if (counts) {
            old = addEntry(old, current);
            addRivals(rivalOf(current.outcome));
          }
        }
      }
      return { removed, changed };
    },
  };
}

/** The other keeper's remit() that a loss names. */
function rivalOf(outcome: Outcome): Hex[] {
  return "isRival" in outcome && outcome.rival !== undefined ? [outcome.rival] : [];
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

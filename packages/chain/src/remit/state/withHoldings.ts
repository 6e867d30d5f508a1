import { ChangedMap } from "@dueday/core/remit/changedMap";
import type { HoldingTable } from "@dueday/core/remit/holdingTable";
import type { Holding } from "@dueday/core/remit/state";
import type { Address } from "viem";

type Holdings = ReadonlyMap<Address, Holding>;

/** Changes are kept beside a table up to this share of its size; beyond that, the table is made again. */
export const MOST_CHANGED = 0.25;

/** What was held before, with `changes`, and without the accounts that `left`. The table of changes must not be used afterwards. */
export function withHoldings(before: Holdings, changes: HoldingTable, left: ReadonlySet<Address>): Holdings {
  if (changes.size + left.size === 0) return before;
  if (changes.size <= MOST_CHANGED * before.size) {
    const gone = [...left].map((account) => [account, null] as const);
    const changed = new ChangedMap(before, new Map<Address, Holding | null>([...gone, ...changes]));
    if (changed.changes.size <= MOST_CHANGED * changed.size) return changed;
  }
  for (const [account, holding] of before) {
    if (!left.has(account) && !changes.has(account)) changes.set(account, holding);
  }
  return changes;
}

import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ReadinessFacts } from "@dueday/chain/remit/presentReadiness";
import type { OpenBook } from "@dueday/chain/remit/state/createRemitStateCache";

/** A finished scan, and whose balances and allowances its result depends on; `book` is null where that is not known. */
type FinishedScan = { block: ChainBlock; book: OpenBook | null };

/** The last scan of each kind in this process: what `createQuietWatch` may hold against a later block. Null before the first. */
export type LatestScans = {
  /** `isOpen`: something is due, so that the tokens decide what remit() does. */
  plan: (FinishedScan & { isOpen: boolean; facts: ReadinessFacts }) | null;
  due: FinishedScan | null;
};

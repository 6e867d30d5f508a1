import type { Header } from "@dueday/chain/block/parseHeader";
import type { BlockRange, IndexedLog } from "@dueday/db/eventIndex/indexedLog";

/** What is new on the chain. */
export type ChainUpdate = {
  /** The head that was handled before; null at the start and after a reorganisation. */
  after: Header | null;
  head: Header;
  /** Events of the blocks after `after` up to `head`; null where they were not read: `after` is null, or too far away. */
  logs: readonly IndexedLog[] | null;
  /** Events of earlier blocks that the node returned only now. */
  lateLogs: readonly IndexedLog[];
  /** The contract's storage is the same as before these blocks, and their events were not read: some may be missing from `logs`. */
  unread?: BlockRange;
};

import type { Header } from "@dueday/chain/block/parseHeader";
import type { BlockRange, IndexedBlock, IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { markReplaced } from "@dueday/db/indexing/markReplaced";
import { type ProofRecord, readCheckpoint, recordProof } from "@dueday/db/indexing/readCheckpoint";
import { storeLogs } from "@dueday/db/indexing/storeLogs";
import { recordUnproven } from "@dueday/db/indexing/unprovenRanges";
import type { ChainUpdate } from "../logs/chainUpdate";
import { applyLogs } from "./applyLogs";
import { readHeader, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";
import { compareLogs } from "./recheckLogs";
import { goneBlocks } from "./rewind";

/** The blocks that the index is complete for: stored up to its checkpoint, and known to be without events from there to a later head. */
export type Covered = {
  /** The checkpoint's hash. */
  checkpoint: IndexedBlock["hash"];
  head: IndexedBlock;
  /** The first block after the checkpoint whose events were not read, because that was too expensive. */
  unprovenFrom?: number;
};

/** Keeps the index at the chain's head. It is written when there are events, and otherwise from time to time. */
export type Coverage = {
  /** Begins at the stored checkpoint: after a catch-up, a rewind or a repair. */
  begin(): Promise<void>;
  /**
   * Ends the coverage before the index catches up; to be repeated where it fails. If the covered head was replaced, answers for the covered
   * blocks are refused from then on.
   */
  end(): Promise<void>;
  /** Stores a proof, and the covered blocks with it. */
  storeProof(proof: ProofRecord): Promise<void>;
  /**
   * Applies what the follower found. Of logs, only those of the blocks from the first late log to the last are requested again.
   *
   * @returns false where the update does not follow what is covered: the index has to catch up by itself.
   */
  apply(update: ChainUpdate): Promise<boolean>;
  /** Whether the stored checkpoint is still the known one: a check of the index may have rewound it. */
  isCurrent(): Promise<boolean>;
  /** Whether the events of the newest blocks were not read, because that is too expensive. */
  isUnread(): boolean;
  /** What is covered; null before `begin()`, and while the index may have changed. */
  covered(): Covered | null;
};

type Stretch = {
  checkpoint: IndexedBlock;
  /** The heads that were seen since the checkpoint, the newest last: their hashes recognise a reorganisation. */
  heads: IndexedBlock[];
  /** Blocks since the checkpoint whose events were not read. */
  unread: BlockRange | null;
  storedAt: number;
};

/** @param storeEveryMs Blocks without events are stored after this time. */
export function createCoverage(context: IndexContext, storeEveryMs: number): Coverage {
  const { database, chain } = context;
  let stretch: Stretch | null = null;
  let isUnread = false;

  const headOf = ({ checkpoint, heads }: Stretch) => heads.at(-1) ?? checkpoint;

  /** Stores the stretch up to `head`. */
  async function store(from: Stretch, head: Header, logs: readonly IndexedLog[]): Promise<boolean> {
    const checkpoint = toIndexedBlock(head);
    const { checkpoint: after, heads } = from;
    const blocks = headOf(from).hash === checkpoint.hash ? heads : [...heads, checkpoint];
    const fetched = { after, checkpoint, blocks, logs, stateBlock: head, headNumber: checkpoint.number };
    // Refreshes the finality that is stored with the logs and in their events.
    await context.finality.read(checkpoint, null);
    // Recorded before the checkpoint passes these blocks: otherwise the index would seem complete without them.
    if (from.unread !== null) await recordUnproven(database, chain, from.unread);
    // Until this is stored, it is not known what the index contains.
    stretch = null;
    if (!(await applyLogs(context, fetched))) return false;
    stretch = { checkpoint, heads: [], unread: null, storedAt: performance.now() };
    return true;
  }

  /** The logs of the update that are not covered yet; null where the update does not follow what is covered. */
  async function newLogs(from: Stretch, update: ChainUpdate): Promise<readonly IndexedLog[] | null> {
    const { after, logs } = update;
    if (after === null || logs === null) return null;
    const covered = headOf(from);
    if (toIndexedBlock(after).hash === covered.hash) return logs;
    // A catch-up went further than `after`: its last block has to be on the way from there to the head.
    if (Number(after.number) >= covered.number) return null;
    const now = await readHeader(context.chainData.rpc, covered.number);
    return toIndexedBlock(now).hash === covered.hash ? logs.filter((log) => log.blockNumber > covered.number) : null;
  }

  return {
    async begin() {
      const checkpoint = await readCheckpoint(database, chain);
      stretch = checkpoint && { checkpoint, heads: [], unread: null, storedAt: performance.now() };
    },
    async end() {
      if (stretch !== null && stretch.heads.length > 0) {
        const head = headOf(stretch);
        const range = { from: stretch.checkpoint.number + 1, to: head.number };
        if ((await goneBlocks(context, [head])).length > 0) await markReplaced(database, chain, range);
      }
      stretch = null;
    },
    async storeProof(proof) {
      const from = stretch;
      if (from === null || from.heads.length === 0 || from.unread !== null) return recordProof(database, chain, proof);
      const checkpoint = headOf(from);
      const { finality, provenNumber } = proof;
      stretch = null;
      const isStored = await storeLogs(database, chain, {
        after: from.checkpoint,
        checkpoint,
        blocks: from.heads,
        logs: [],
        terms: [],
        tokens: [],
        headNumber: checkpoint.number,
        headTimestamp: checkpoint.timestamp,
        blocksPerSecond: null,
        finality,
        provenNumber,
        confirmedAt: new Date(context.clock()),
      });
      if (isStored) stretch = { checkpoint, heads: [], unread: null, storedAt: performance.now() };
    },
    async apply(update) {
      if (stretch === null) return false;
      const head = toIndexedBlock(update.head);
      if (headOf(stretch).hash !== head.hash) {
        // A catch-up has read these blocks already: its head was ahead of this process's follower.
        if (head.number <= headOf(stretch).number && update.after !== null) return update.lateLogs.length === 0;
        const logs = await newLogs(stretch, update);
        if (logs === null) return false;
        isUnread = update.unread !== undefined;
        if (update.unread !== undefined) stretch.unread = joined(stretch.unread, update.unread);
        const isQuiet = logs.length === 0 && update.lateLogs.length === 0;
        if (isQuiet && performance.now() - stretch.storedAt < storeEveryMs) stretch.heads.push(head);
        else if (!(await store(stretch, update.head, logs))) return false;
      } else if (update.lateLogs.length > 0 && stretch.heads.length > 0) {
        if (!(await store(stretch, update.head, []))) return false;
      }
      if (update.lateLogs.length === 0) return true;
      const numbers = update.lateLogs.map(({ blockNumber }) => blockNumber);
      const range = { from: Math.min(...numbers), to: Math.max(...numbers) };
      return (await compareLogs(context, range)) !== "moved";
    },
    async isCurrent() {
      const checkpoint = await readCheckpoint(database, chain);
      return checkpoint !== null && checkpoint.hash === stretch?.checkpoint.hash;
    },
    isUnread: () => isUnread,
    covered() {
      if (stretch === null) return null;
      const { checkpoint, unread } = stretch;
      const covered = { checkpoint: checkpoint.hash, head: headOf(stretch) };
      return unread === null ? covered : { ...covered, unprovenFrom: unread.from };
    },
  };
}

/** One range for both. It may contain blocks that were read: marking these too does no harm. */
function joined(a: BlockRange | null, b: BlockRange): BlockRange {
  return a === null ? b : { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) };
}

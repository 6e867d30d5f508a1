import { type BlockStamp, kindOfStored, type SnapshotKind } from "@dueday/core/snapshots/snapshot";
import { type ConfirmationMessage, shortHash } from "@dueday/db/confirmationMessage";
import { DatabaseError } from "@dueday/db/databaseError";
import { LRUCache } from "lru-cache";
import { createRendering, type ReadyAnswer, type Rendering } from "../answers/rendering";
import { isOutdated } from "../health/isOutdated";
import type { PageStore } from "./createPageStore";
import type { SnapshotPayload, SnapshotView } from "./snapshotView";

/** The latest snapshot of one kind and key. */
export type HeldSnapshot<K extends SnapshotKind = SnapshotKind> = {
  kind: K;
  key: string;
  stamp: BlockStamp;
  /** Unix milliseconds at which the worker computed its content. */
  computedAt: number;
  /** Unix milliseconds at which the worker last proved the same content, at the block of `stamp`; null before the first time. */
  confirmedAt: number | null;
  /** Hash of the payload. */
  hash: string;
  /** Its block is no longer on the chain: it is served as stale until a scan replaces it. */
  orphaned: boolean;
  payload: SnapshotPayload[K];
};

/** The latest snapshots of one chain, in memory, with the answers rendered from them. */
export type SnapshotCache = {
  /** Stores a snapshot in place of the one of its kind and key. Calls have to be in the order in which the database was read. */
  put(snapshot: HeldSnapshot): void;
  /** Moves snapshots of the proven contents to the block of the proof. Others, and those of a later block, stay where they are. */
  confirm(message: ConfirmationMessage): void;
  /** Takes back confirmations at this block or a later one: the snapshots are again as stored, those stored at such a block as orphaned. */
  withdraw(fromBlock: bigint): void;
  /** Takes back all confirmations that are not in the database, because later notifications may have been missed. */
  forgetConfirmations(): void;
  /** Notes that the database's snapshot of a kind and key cannot be used; an earlier one stays, and becomes stale. */
  markUnreadable(kind: SnapshotKind, key: string): void;
  /** Removes these marks: everything is about to be put or marked again. */
  forgetUnreadable(): void;
  /** The snapshots that are marked as unreadable, e.g. "due 20711". */
  unreadable(): string[];
  get<K extends SnapshotKind>(kind: K, key?: string): HeldSnapshot<K> | null;
  /** The answer to a view at this moment; null while there is no such snapshot, or a page of it is not in memory. */
  answer(view: SnapshotView): ReadyAnswer | null;
  /**
   * Reads the pages of a view that are not in memory.
   *
   * @returns whether all pages are in memory now; false where the database does not answer, or has replaced the pages
   */
  load(view: SnapshotView): Promise<boolean>;
  /** The pages of due lists that are in memory. */
  pages: PageStore;
  /** The snapshot of the highest block; an orphaned one only where all are orphaned. */
  newest(): HeldSnapshot | null;
  /** Removes everything and stores nothing from now on: the snapshots belong to another chain. */
  refuse(reason: string): void;
  /** Why snapshots are refused; null while they are not. */
  refusal(): string | null;
};

export type SnapshotCacheOptions = { chainId: number; staleAfterMs: number; clock: () => number; pages: PageStore };

/**
 * Number of answers kept for each snapshot, for the query variants that are polled. It is low for due days, because there are dozens of
 * them, and an answer may have 120 kB, which memory holds three times.
 */
const RENDERINGS: Record<SnapshotKind, number> = { protocol: 16, tokens: 16, readiness: 16, due: 4 };

/** How long a replaced due day is kept for the next pages of an answer, and how many of one day. */
const REPLACED_MS = 600_000;
const REPLACED_OF_A_DAY = 10;

/** `stored` is the snapshot as the database has it, `snapshot` with what was confirmed since. */
type Entry = {
  stored: HeldSnapshot;
  snapshot: HeldSnapshot;
  /** The first block that this process knows to have this content. */
  since: bigint;
  renderings: LRUCache<string, Rendering>;
};

export function createSnapshotCache({ chainId, staleAfterMs, clock, pages }: SnapshotCacheOptions): SnapshotCache {
  const kinds: Record<SnapshotKind, Map<string, Entry>> = {
    protocol: new Map(),
    tokens: new Map(),
    due: new Map(),
    readiness: new Map(),
  };
  /** Snapshots of due days that later ones have replaced, by key, oldest first. */
  const replaced = new Map<string, { entry: Entry; until: number }[]>();
  const unreadable = new Set<string>();
  let newest: HeldSnapshot | null = null;
  let refusal: string | null = null;

  /** Null where a page is not in memory. */
  function renderingOf(entry: Entry, view: SnapshotView): Rendering | null {
    const kept = entry.renderings.get(view.variant);
    if (kept !== undefined) return kept;
    const { snapshot } = entry;
    const found = pages.get(pagesOf(view, snapshot));
    if (found === null) return null;
    // The entry was found under the view's own kind, so `present` takes its payload.
    const value = (view.present as (payload: unknown, found: unknown) => object)(snapshot.payload, found);
    const bare = view.bare === true;
    const rendering = createRendering(bare ? value : { chainId, ...value }, snapshot, bare);
    entry.renderings.set(view.variant, rendering);
    return rendering;
  }

  function entries(): Entry[] {
    return Object.values(kinds).flatMap((ofKind) => [...ofKind.values()]);
  }

  function hold(stored: HeldSnapshot, snapshot: HeldSnapshot): void {
    const { kind, key, stamp } = stored;
    const before = kinds[kind].get(key);
    const isSame = before?.snapshot.orphaned === false && before.snapshot.hash === stored.hash;
    if (before !== undefined && !isSame && kind === "due") keepReplaced(key, before);
    const renderings = new LRUCache<string, Rendering>({ max: RENDERINGS[kind] });
    const since = isSame ? before.since : BigInt(stamp.blockNumber);
    kinds[kind].set(key, { stored, snapshot, since, renderings });
  }

  function keepReplaced(key: string, entry: Entry): void {
    const now = clock();
    const kept = (replaced.get(key) ?? []).filter(({ until }) => until > now);
    const renderings = new LRUCache<string, Rendering>({ max: 1 });
    replaced.set(
      key,
      [...kept, { entry: { ...entry, renderings }, until: now + REPLACED_MS }].slice(-REPLACED_OF_A_DAY),
    );
  }

  /** The entry that a view is made from: the newest, or the one that was true at the view's block. */
  function entryFor({ kind, key, atBlock }: SnapshotView): Entry | undefined {
    const current = kinds[kind].get(key);
    if (atBlock === undefined) return current;
    const wasTrue = ({ snapshot, since }: Entry) =>
      !snapshot.orphaned && since <= atBlock && atBlock <= BigInt(snapshot.stamp.blockNumber);
    const kept = replaced.get(key) ?? [];
    return [...(current === undefined ? [] : [current]), ...kept.map(({ entry }) => entry)].find(wasTrue);
  }

  function findNewest(): void {
    const held = entries().map((entry) => entry.snapshot);
    newest = held.length === 0 ? null : held.reduce((a, b) => (isNewer(b, a) ? b : a));
  }

  return {
    put(stored) {
      if (refusal !== null) return;
      const held = kinds[stored.kind].get(stored.key)?.snapshot;
      // A confirmation is written to the row up to a minute later.
      const isAhead = held?.hash === stored.hash && !stored.orphaned && isNewer(held, stored);
      hold(stored, isAhead ? held : stored);
      unreadable.delete(nameOf(stored.kind, stored.key));
      findNewest();
    },
    confirm({ block, confirmedAt, snapshots }) {
      const { number, hash: blockHash, timestamp, timestampMs } = block;
      const stamp: BlockStamp = { blockNumber: number, blockHash, blockTimestamp: timestamp };
      if (timestampMs !== undefined) stamp.timestampMs = timestampMs;
      for (const [storedName, key, hash] of snapshots) {
        const kind = kindOfStored(storedName);
        const entry = kind === null ? undefined : kinds[kind].get(key);
        if (entry === undefined || entry.snapshot.orphaned || shortHash(entry.snapshot.hash) !== hash) continue;
        if (BigInt(entry.snapshot.stamp.blockNumber) > BigInt(block.number)) continue;
        hold(entry.stored, { ...entry.snapshot, stamp, confirmedAt: Date.parse(confirmedAt) });
      }
      findNewest();
    },
    withdraw(fromBlock) {
      for (const { stored, snapshot } of entries()) {
        const isReplaced = BigInt(stored.stamp.blockNumber) >= fromBlock;
        const before = isReplaced ? { ...stored, orphaned: true } : stored;
        if (BigInt(snapshot.stamp.blockNumber) >= fromBlock) hold(before, before);
      }
      for (const [key, kept] of replaced) {
        const isBefore = ({ entry }: { entry: Entry }) => BigInt(entry.snapshot.stamp.blockNumber) < fromBlock;
        replaced.set(key, kept.filter(isBefore));
      }
      findNewest();
    },
    forgetConfirmations() {
      for (const { stored } of entries()) hold(stored, stored);
      findNewest();
    },
    markUnreadable: (kind, key) => void unreadable.add(nameOf(kind, key)),
    forgetUnreadable: () => unreadable.clear(),
    unreadable: () => [...unreadable],
    get<K extends SnapshotKind>(kind: K, key = "") {
      // `put` stores a snapshot under its own kind.
      return (kinds[kind].get(key)?.snapshot ?? null) as HeldSnapshot<K> | null;
    },
    answer(view) {
      const entry = entryFor(view);
      if (entry === undefined) return null;
      const stale = entry.snapshot.orphaned || isOutdated(provenAt(entry.snapshot), { now: clock(), staleAfterMs });
      return renderingOf(entry, view)?.at(stale) ?? null;
    },
    async load(view) {
      const entry = entryFor(view);
      if (entry === undefined) return false;
      try {
        return await pages.load(pagesOf(view, entry.snapshot));
      } catch (error) {
        // The feed reports the database; the answer is read from the node.
        if (error instanceof DatabaseError) return false;
        throw error;
      }
    },
    pages,
    newest: () => newest,
    refuse(reason) {
      refusal = reason;
      newest = null;
      unreadable.clear();
      replaced.clear();
      for (const ofKind of Object.values(kinds)) ofKind.clear();
    },
    refusal: () => refusal,
  };
}

/** Unix milliseconds at which a snapshot was last computed or confirmed: its age is counted from there. */
export function provenAt({ computedAt, confirmedAt }: Pick<HeldSnapshot, "computedAt" | "confirmedAt">): number {
  return confirmedAt ?? computedAt;
}

function pagesOf(view: SnapshotView, { payload }: HeldSnapshot): readonly string[] {
  // The snapshot was found under the view's own kind.
  return (view.pages as ((payload: unknown) => readonly string[]) | undefined)?.(payload) ?? [];
}

function nameOf(kind: SnapshotKind, key: string): string {
  return key === "" ? kind : `${kind} ${key}`;
}

/** Compares by block, orphaned snapshots last. Clocks decide only between snapshots of the same block, which are equally true. */
function isNewer(a: HeldSnapshot, b: HeldSnapshot): boolean {
  if (a.orphaned !== b.orphaned) return b.orphaned;
  const blocks = Number(a.stamp.blockNumber) - Number(b.stamp.blockNumber);
  return blocks === 0 ? provenAt(a) > provenAt(b) : blocks > 0;
}

import type { BlockStamp, SnapshotKind } from "@dueday/core/snapshots/snapshot";
import { LRUCache } from "lru-cache";
import { isOutdated } from "../isOutdated";
import { createRendering, type ReadyAnswer, type Rendering } from "./rendering";
import type { SnapshotPayload, SnapshotView } from "./snapshotView";

/** The latest snapshot of one kind and key. */
export type HeldSnapshot<K extends SnapshotKind = SnapshotKind> = {
  kind: K;
  key: string;
  stamp: BlockStamp;
  /** Unix milliseconds at which the worker computed it, or last confirmed it. */
  computedAt: number;
  /** Its block is no longer on the chain: it is served as stale until a scan replaces it. */
  orphaned: boolean;
  payload: SnapshotPayload[K];
};

/** The latest snapshots of one chain, in memory, with the answers rendered from them. */
export type SnapshotCache = {
  /** Stores a snapshot in place of the one of its kind and key: put them in the order in which the database was read. */
  put(snapshot: HeldSnapshot): void;
  /** Notes that the database's snapshot of a kind and key cannot be used; an earlier one stays, and becomes stale. */
  markUnreadable(kind: SnapshotKind, key: string): void;
  /** Removes these marks: everything is about to be put or marked again. */
  forgetUnreadable(): void;
  /** The snapshots that are marked as unreadable, e.g. "due 20711". */
  unreadable(): string[];
  get<K extends SnapshotKind>(kind: K, key?: string): HeldSnapshot<K> | null;
  /** The answer to a view at this moment; null while there is no such snapshot. */
  answer(view: SnapshotView): ReadyAnswer | null;
  /** The snapshot of the highest block, those whose block is no longer on the chain last. */
  newest(): HeldSnapshot | null;
  /** Removes everything and stores nothing from now on: the snapshots belong to another chain. */
  refuse(reason: string): void;
  /** Why snapshots are refused; null while they are not. */
  refusal(): string | null;
};

export type SnapshotCacheOptions = { chainId: number; staleAfterMs: number; clock: () => number };

/** Answers kept for each snapshot, for the query variants that are polled. */
const RENDERINGS_PER_SNAPSHOT = 16;

type Entry = { snapshot: HeldSnapshot; renderings: LRUCache<string, Rendering> };

export function createSnapshotCache({ chainId, staleAfterMs, clock }: SnapshotCacheOptions): SnapshotCache {
  const kinds: Record<SnapshotKind, Map<string, Entry>> = {
    protocol: new Map(),
    tokens: new Map(),
    due: new Map(),
    readiness: new Map(),
  };
  const unreadable = new Set<string>();
  let newest: HeldSnapshot | null = null;
  let refusal: string | null = null;

  function renderingOf(entry: Entry, view: SnapshotView): Rendering {
    const kept = entry.renderings.get(view.variant);
    if (kept !== undefined) return kept;
    const { snapshot } = entry;
    // The entry was found under the view's own kind, so `present` takes its payload.
    const value = (view.present as (payload: unknown) => object)(snapshot.payload);
    const bare = view.bare === true;
    const rendering = createRendering(bare ? value : { chainId, ...value }, snapshot, bare);
    entry.renderings.set(view.variant, rendering);
    return rendering;
  }

  return {
    put(snapshot) {
      if (refusal !== null) return;
      kinds[snapshot.kind].set(snapshot.key, { snapshot, renderings: new LRUCache({ max: RENDERINGS_PER_SNAPSHOT }) });
      unreadable.delete(nameOf(snapshot.kind, snapshot.key));
      newest = Object.values(kinds)
        .flatMap((entries) => [...entries.values()])
        .map((entry) => entry.snapshot)
        .reduce((a, b) => (isNewer(b, a) ? b : a));
    },
    markUnreadable: (kind, key) => void unreadable.add(nameOf(kind, key)),
    forgetUnreadable: () => unreadable.clear(),
    unreadable: () => [...unreadable],
    get<K extends SnapshotKind>(kind: K, key = "") {
      // `put` stores a snapshot under its own kind.
      return (kinds[kind].get(key)?.snapshot ?? null) as HeldSnapshot<K> | null;
    },
    answer(view) {
      const entry = kinds[view.kind].get(view.key);
      if (entry === undefined) return null;
      const { computedAt, orphaned } = entry.snapshot;
      const stale = orphaned || isOutdated(computedAt, { now: clock(), staleAfterMs });
      return renderingOf(entry, view).at(stale);
    },
    newest: () => newest,
    refuse(reason) {
      refusal = reason;
      newest = null;
      unreadable.clear();
      for (const entries of Object.values(kinds)) entries.clear();
    },
    refusal: () => refusal,
  };
}

function nameOf(kind: SnapshotKind, key: string): string {
  return key === "" ? kind : `${kind} ${key}`;
}

/** By block. Clocks only decide between snapshots of one block, none of which is truer than the other. */
function isNewer(a: HeldSnapshot, b: HeldSnapshot): boolean {
  if (a.orphaned !== b.orphaned) return b.orphaned;
  const blocks = Number(a.stamp.blockNumber) - Number(b.stamp.blockNumber);
  return blocks === 0 ? a.computedAt > b.computedAt : blocks > 0;
}

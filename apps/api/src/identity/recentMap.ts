/** A map that forgets what was not used for a while. */
export type RecentMap<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  /** Forgets what is due to be forgotten; to be called with every use. */
  tick(now: number): void;
  readonly size: number;
  /** Changes when entries are moved on or forgotten. What was got or set under the present one need not be got again. */
  readonly generation: number;
};

/**
 * Two generations of entries: what is set, or found in the older one, goes into the younger; when that is `keptMs` old, or holds half
 * of `maxEntries`, it becomes the older one, and the older one is dropped whole. So an entry lives at least `keptMs` after its
 * last use, unless more others are used meanwhile, and nothing is ever searched for what is old.
 */
export function createRecentMap<V>({ keptMs, maxEntries }: { keptMs: number; maxEntries: number }): RecentMap<V> {
  let younger = new Map<string, V>();
  let older = new Map<string, V>();
  let begunAt = Number.NEGATIVE_INFINITY;
  let generation = 0;

  return {
    get(key) {
      const found = younger.get(key);
      if (found !== undefined) return found;
      const old = older.get(key);
      if (old !== undefined) {
        older.delete(key);
        younger.set(key, old);
      }
      return old;
    },
    set(key, value) {
      younger.set(key, value);
    },
    tick(now) {
      if (now - begunAt < keptMs && younger.size < maxEntries / 2) return;
      older = younger;
      younger = new Map();
      begunAt = now;
      generation += 1;
    },
    get size() {
      return younger.size + older.size;
    },
    get generation() {
      return generation;
    },
  };
}

import { type ActiveKey, findDeveloperKey } from "@dueday/db/access/findDeveloperKey";
import { REVOKED_WITHIN_MS, readRevokedKeys } from "@dueday/db/access/readRevokedKeys";
import { touchDeveloperKeys } from "@dueday/db/access/touchDeveloperKeys";
import type { Database } from "@dueday/db/connectDatabase";
import { LRUCache } from "lru-cache";

export type DeveloperKeysOptions = {
  database: Database;
  /** Unix milliseconds. */
  clock: () => number;
  /** Called when the database fails in the background, once until it answers again. */
  onError: (error: unknown) => void;
  /** Between two checks for revocations. Default 400 ms, so that every process sees one within a second. */
  intervalMs?: number;
};

/** An active key. */
export type KnownKey = Pick<ActiveKey, "id" | "subjectId" | "byAdmin">;

/** The developer keys that this process has seen. */
export type DeveloperKeys = {
  /** The active key with this hash; null for one that is unknown or revoked; undefined where it has to be looked up. */
  cached(hash: string): KnownKey | null | undefined;
  /** Asks the database, once for all concurrent callers. Resolves as `cached` then answers. */
  lookUp(hash: string): Promise<KnownKey | null>;
  /** Notes that a request was sent with this key. */
  noteUse(id: string): void;
  /** Rejects, from now on, a key that was revoked in this process. */
  forget(id: string): void;
  close(): Promise<void>;
};

const MAX_KNOWN = 10_000;
/** Hashes of unknown keys have a small separate cache, so that invented keys never evict a known one. */
const MAX_UNKNOWN = 1_000;
const TOUCH_EVERY_MS = 60_000;

/**
 * Caches keys by hash, and detects revocations by reading the latest ones. One small query does this for any number of keys, and finds
 * also those that were revoked while the database did not answer. During that time, known keys go on working.
 */
export function createDeveloperKeys(options: DeveloperKeysOptions): DeveloperKeys {
  const { database, clock, onError, intervalMs = 400 } = options;
  const known = new LRUCache<string, KnownKey>({ max: MAX_KNOWN });
  const unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN });
  const pending = new Map<string, Promise<KnownKey | null>>();
  const notedAt = new LRUCache<string, number>({ max: MAX_KNOWN });
  const uses = new Map<string, Date>();
  let checkedAt = clock();
  let failing = false;
  let closed = false;
  let running = Promise.resolve();
  let timer = setTimeout(tick, intervalMs);

  return {
    cached: (hash) => known.get(hash) ?? (unknown.get(hash) === undefined ? undefined : null),
    lookUp(hash) {
      const lookUp = pending.get(hash) ?? find(hash);
      pending.set(hash, lookUp);
      return lookUp;
    },
    noteUse(id) {
      const now = clock();
      if (now - (notedAt.get(id) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return;
      notedAt.set(id, now);
      uses.set(id, new Date(now));
    },
    forget,
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
      await refresh();
    },
  };

  async function find(hash: string): Promise<KnownKey | null> {
    try {
      const key = await findDeveloperKey(database, hash);
      if (key === null) {
        unknown.set(hash, true);
        return null;
      }
      const { id, subjectId, byAdmin } = key;
      const stored = { id, subjectId, byAdmin };
      known.set(hash, stored);
      return stored;
    } finally {
      pending.delete(hash);
    }
  }

  function forget(id: string): void {
    for (const [hash, key] of known.entries()) {
      if (key.id !== id) continue;
      known.delete(hash);
      unknown.set(hash, true);
    }
    notedAt.delete(id);
  }

  function tick(): void {
    running = refresh().then(() => {
      if (!closed) timer = setTimeout(tick, intervalMs);
    });
  }

  async function refresh(): Promise<void> {
    try {
      await applyRevocations();
      const noted = new Map(uses);
      await touchDeveloperKeys(database, noted);
      for (const [id, at] of noted) if (uses.get(id) === at) uses.delete(id);
      failing = false;
    } catch (error) {
      if (!failing) onError(error);
      failing = true;
    }
  }

  async function applyRevocations(): Promise<void> {
    const now = clock();
    if (known.size > 0) {
      for (const id of await readRevokedKeys(database)) forget(id);
      // After a long gap, the latest revocations may not include all that were missed.
      if (now - checkedAt > REVOKED_WITHIN_MS / 2) known.clear();
    }
    checkedAt = now;
  }
}

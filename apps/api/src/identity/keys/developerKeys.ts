import type { Database } from "@dueday/db/connectDatabase";
import { findDeveloperKey } from "@dueday/db/queries/findDeveloperKey";
import { REVOKED_WITHIN_MS, readRevokedKeys } from "@dueday/db/queries/readRevokedKeys";
import { touchDeveloperKeys } from "@dueday/db/queries/touchDeveloperKeys";

export type DeveloperKeysOptions = {
  database: Database;
  /** Unix milliseconds. */
  clock: () => number;
  /** Told when the database fails in the background, once until it answers again. */
  onError: (error: unknown) => void;
  /** Between two looks for revocations. Default 400 ms, so that one is known everywhere within a second. */
  intervalMs?: number;
};

/** The keys in use, remembered in this process. */
export type DeveloperKeys = {
  /** Id of the active key with this hash; null for one that is unknown or revoked. A promise only where the database is asked. */
  find(hash: string): string | null | Promise<string | null>;
  /** Notes that a request was admitted with this key. */
  noteUse(id: string): void;
  /** Forgets a key that was revoked here. */
  forget(id: string): void;
  close(): Promise<void>;
};

const HASHES_KEPT = 10_000;
const TOUCH_EVERY_MS = 60_000;

/**
 * Remembers keys by hash, the unknown ones too, and learns of revocations by asking for the latest ones: with any number of keys
 * in use that is one small query, and a process that lost the database for a while has missed none when it comes back. While the
 * database is away, known keys go on working.
 */
export function createDeveloperKeys(options: DeveloperKeysOptions): DeveloperKeys {
  const { database, clock, onError, intervalMs = 400 } = options;
  const known = new Map<string, string | null>();
  const asking = new Map<string, Promise<string | null>>();
  const notedAt = new Map<string, number>();
  const uses = new Map<string, Date>();
  let lookedAt = clock();
  let failing = false;
  let closed = false;
  let running = Promise.resolve();
  let timer = setTimeout(tick, intervalMs);

  return {
    find(hash) {
      const id = known.get(hash);
      if (id !== undefined) return id;
      const asked = asking.get(hash) ?? ask(hash);
      asking.set(hash, asked);
      return asked;
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
      await keepHouse();
    },
  };

  async function ask(hash: string): Promise<string | null> {
    try {
      const id = (await findDeveloperKey(database, hash))?.id ?? null;
      const [oldest] = known.keys();
      if (known.size >= HASHES_KEPT && oldest !== undefined) known.delete(oldest);
      known.set(hash, id);
      return id;
    } finally {
      asking.delete(hash);
    }
  }

  function forget(id: string): void {
    for (const [hash, knownId] of known) if (knownId === id) known.set(hash, null);
    notedAt.delete(id);
  }

  function tick(): void {
    running = keepHouse().then(() => {
      if (!closed) timer = setTimeout(tick, intervalMs);
    });
  }

  async function keepHouse(): Promise<void> {
    try {
      await learnRevocations();
      const noted = new Map(uses);
      uses.clear();
      await touchDeveloperKeys(database, noted);
      failing = false;
    } catch (error) {
      if (!failing) onError(error);
      failing = true;
    }
  }

  async function learnRevocations(): Promise<void> {
    const now = clock();
    if (known.size > 0) {
      // After a longer silence the latest revocations are not all there were.
      if (now - lookedAt > REVOKED_WITHIN_MS / 2) known.clear();
      for (const id of await readRevokedKeys(database)) forget(id);
    }
    lookedAt = now;
  }
}

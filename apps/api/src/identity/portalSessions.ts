import { findPortalSession } from "@dueday/db/access/findPortalSession";
import type { PortalSession } from "@dueday/db/access/startPortalSession";
import type { Database } from "@dueday/db/connectDatabase";
import { LRUCache } from "lru-cache";

/** The portal sessions that this process has seen, by the hash of their token. */
export type PortalSessions = {
  /** Whether this process has never seen the token, so that the database has to be asked. */
  isNew(tokenHash: string): boolean;
  /** The session of a token; null if it is unknown, ended or expired. */
  find(tokenHash: string): Promise<PortalSession | null>;
  /** Rejects these tokens from now on, in this process. */
  forget(tokenHashes: readonly string[]): void;
};

type Known = { session: PortalSession; readAt: number };

const MAX_KNOWN = 10_000;
/** Unknown tokens have a small separate cache, so that invented ones never evict a known one. */
const MAX_UNKNOWN = 1_000;
/** A session that another process has ended is rejected within a second. */
const READ_EVERY_MS = 500;

/**
 * Caches sessions. Each one in use is read again twice a second at most, because another process may have ended it; while the database
 * is away, known sessions go on working, as known keys do.
 *
 * @param clock Unix milliseconds
 */
export function createPortalSessions(database: Database, clock: () => number): PortalSessions {
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN });
  const unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN });

  function forget(tokenHash: string): void {
    known.delete(tokenHash);
    unknown.set(tokenHash, true);
  }

  async function read(tokenHash: string, now: number): Promise<PortalSession | null> {
    const cached = known.get(tokenHash);
    if (cached !== undefined && Math.abs(now - cached.readAt) < READ_EVERY_MS) return cached.session;
    let session: PortalSession | null;
    try {
      session = await findPortalSession(database, tokenHash);
    } catch (error) {
      if (cached === undefined) throw error;
      session = cached.session;
    }
    if (session === null || unknown.has(tokenHash)) return null;
    known.set(tokenHash, { session, readAt: now });
    return session;
  }

  return {
    isNew: (tokenHash) => !known.has(tokenHash) && !unknown.has(tokenHash),
    async find(tokenHash) {
      if (unknown.has(tokenHash)) return null;
      const now = clock();
      const session = await read(tokenHash, now);
      if (session !== null && session.expiresAt.getTime() > now) return session;
      forget(tokenHash);
      return null;
    },
    forget: (tokenHashes) => tokenHashes.forEach(forget),
  };
}

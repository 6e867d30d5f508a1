import { findActiveAccess } from "@dueday/db/access/findActiveAccess";
import type { Database } from "@dueday/db/connectDatabase";
import type { Caller } from "../../identity/clientIdentity";

/** The developer keys and portal sessions that the open streams of this process were opened with. */
export type AccessWatch = {
  add(caller: Pick<Caller, "keyId" | "session">): WatchedAccess;
  /** Finds out which of them are no longer valid, in one query for keys and one for sessions. Rejects where the database fails. */
  check(): Promise<void>;
};

export type WatchedAccess = {
  /** Why the stream has to end; null while its key or session is valid, and for one of the free lane. */
  endReason(): string | null;
  /** The stream has ended. */
  remove(): void;
};

type Entry = { keyId: string | null; tokenHash: string | null; endReason: string | null };

/** @param clock Unix milliseconds */
export function createAccessWatch(database: Database, clock: () => number): AccessWatch {
  const entries = new Set<Entry>();

  return {
    add({ keyId = null, session }) {
      const entry: Entry = { keyId, tokenHash: session?.tokenHash ?? null, endReason: null };
      if (keyId !== null || session !== undefined) entries.add(entry);
      return { endReason: () => entry.endReason, remove: () => void entries.delete(entry) };
    },
    async check() {
      // Streams that are opened meanwhile are not among the answers.
      const checked = [...entries];
      if (checked.length === 0) return;
      const active = await findActiveAccess(
        database,
        {
          keyIds: new Set(checked.flatMap(({ keyId }) => keyId ?? [])),
          tokenHashes: new Set(checked.flatMap(({ tokenHash }) => tokenHash ?? [])),
        },
        new Date(clock()),
      );
      for (const entry of checked) {
        const { keyId, tokenHash } = entry;
        if (keyId !== null && !active.keyIds.has(keyId)) entry.endReason = "the developer key was revoked";
        if (tokenHash !== null && !active.tokenHashes.has(tokenHash)) entry.endReason = "the portal session has ended";
      }
    },
  };
}

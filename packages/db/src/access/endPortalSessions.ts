import { eq } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { portalSessions } from "../schema/portal";

/**
 * Ends one session, or all sessions of a subject.
 *
 * @returns hashes of the tokens of the sessions that were ended
 */
export async function endPortalSessions(
  database: Database,
  which: { tokenHash: string } | { subjectId: string },
): Promise<string[]> {
  const condition =
    "tokenHash" in which
      ? eq(portalSessions.tokenHash, which.tokenHash)
      : eq(portalSessions.subjectId, which.subjectId);
  const ended = await database.run("end portal sessions", (db) =>
    db.delete(portalSessions).where(condition).returning({ tokenHash: portalSessions.tokenHash }),
  );
  return ended.map(({ tokenHash }) => tokenHash);
}

import { eq } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { portalChallenges, portalSessions } from "../schema/portal";

export type PortalSession = typeof portalSessions.$inferSelect;

export type StartedSession = {
  session: PortalSession;
  /** SHA-256 (hex) of the nonce that was signed. */
  nonceHash: string;
  /** The browser's previous session, which ends; null where it had none. */
  endsTokenHash: string | null;
};

/**
 * Starts a session and uses up its challenge, in one transaction: of several requests with one signed message, one starts a session.
 *
 * @returns whether it was started; false where the challenge was used before
 */
export async function startPortalSession(
  database: Database,
  { session, nonceHash, endsTokenHash }: StartedSession,
): Promise<boolean> {
  return database.run("start a portal session", (db) =>
    db.transaction(async (transaction) => {
      const used = await transaction
        .delete(portalChallenges)
        .where(eq(portalChallenges.nonceHash, nonceHash))
        .returning({ address: portalChallenges.address });
      if (used.length === 0) return false;
      if (endsTokenHash !== null)
        await transaction.delete(portalSessions).where(eq(portalSessions.tokenHash, endsTokenHash));
      await transaction.insert(portalSessions).values(session);
      return true;
    }),
  );
}

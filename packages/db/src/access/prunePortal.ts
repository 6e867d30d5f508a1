import { lt } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { portalChallenges, portalSessions } from "../schema/portal";

/** Deletes challenges and sessions that expired before `before`. */
export async function prunePortal(database: Database, before: Date): Promise<void> {
  await database.run("prune the portal", async (db) => {
    await db.delete(portalChallenges).where(lt(portalChallenges.expiresAt, before));
    await db.delete(portalSessions).where(lt(portalSessions.expiresAt, before));
  });
}

import { eq } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { portalSessions } from "../schema/portal";
import type { PortalSession } from "./startPortalSession";

/** The session whose token has this SHA-256 (hex), expired or not; null if there is none, or it was ended. */
export async function findPortalSession(database: Database, tokenHash: string): Promise<PortalSession | null> {
  const rows = await database.run("find a portal session", (db) =>
    db.select().from(portalSessions).where(eq(portalSessions.tokenHash, tokenHash)),
  );
  return rows[0] ?? null;
}

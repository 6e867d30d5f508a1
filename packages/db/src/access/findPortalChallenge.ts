import { eq } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { portalChallenges } from "../schema/portal";
import type { PortalChallenge } from "./storePortalChallenge";

/** The challenge whose nonce has this SHA-256 (hex), expired or not; null if it was never issued, or was used. */
export async function findPortalChallenge(database: Database, nonceHash: string): Promise<PortalChallenge | null> {
  const rows = await database.run("find a portal challenge", (db) =>
    db.select().from(portalChallenges).where(eq(portalChallenges.nonceHash, nonceHash)),
  );
  return rows[0] ?? null;
}

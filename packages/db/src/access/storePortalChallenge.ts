import type { Database } from "../connectDatabase";
import { portalChallenges } from "../schema/portal";

/** A message that was issued for signing in, without its nonce: of the nonce, only the SHA-256 (hex) is stored. */
export type PortalChallenge = typeof portalChallenges.$inferSelect;

export async function storePortalChallenge(database: Database, challenge: PortalChallenge): Promise<void> {
  await database.run("store a portal challenge", (db) => db.insert(portalChallenges).values(challenge));
}

import { and, gt, inArray, isNull } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { developerKeys } from "../schema/access";
import { portalSessions } from "../schema/portal";

/** Developer keys by their ids, and portal sessions by the hashes of their tokens. */
export type Access = { keyIds: ReadonlySet<string>; tokenHashes: ReadonlySet<string> };

/** The given keys that are not revoked, and the given sessions that were not ended and have not expired. */
export async function findActiveAccess(
  database: Database,
  { keyIds, tokenHashes }: Access,
  now: Date,
): Promise<Access> {
  const { id, revokedAt } = developerKeys;
  const { tokenHash, expiresAt } = portalSessions;
  return database.run("find active keys and sessions", async (db) => {
    const keys =
      keyIds.size === 0
        ? []
        : await db
            .select({ id })
            .from(developerKeys)
            .where(and(inArray(id, [...keyIds]), isNull(revokedAt)));
    const sessions =
      tokenHashes.size === 0
        ? []
        : await db
            .select({ tokenHash })
            .from(portalSessions)
            .where(and(inArray(tokenHash, [...tokenHashes]), gt(expiresAt, now)));
    return {
      keyIds: new Set(keys.map((key) => key.id)),
      tokenHashes: new Set(sessions.map((session) => session.tokenHash)),
    };
  });
}

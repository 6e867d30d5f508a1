import { and, count, desc, eq, isNull } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { developerKeys } from "../schema/access";
import { type AdminActor, auditAdmin } from "./auditAdmin";

/** What is shown of a key. */
export type DeveloperKey = Omit<typeof developerKeys.$inferSelect, "hash" | "byAdmin">;

export type DeveloperKeyPage = {
  subjectId: string;
  first: number;
  skip: number;
  /** Leaves revoked keys out. */
  activeOnly?: boolean;
};

/**
 * One page of a subject's keys, newest first, including revoked ones unless `activeOnly`; `total` counts all pages. A listing by the
 * admin is audited.
 */
export async function listDeveloperKeys(
  database: Database,
  { subjectId, first, skip, activeOnly = false }: DeveloperKeyPage,
  actor: AdminActor,
): Promise<{ keys: DeveloperKey[]; total: number }> {
  const { id, label, prefix, createdAt, lastUsedAt, revokedAt } = developerKeys;
  const ofSubject = and(eq(developerKeys.subjectId, subjectId), activeOnly ? isNull(revokedAt) : undefined);
  return database.run("list developer keys", (db) =>
    db.transaction(async (transaction) => {
      if (actor.isOwner !== true) await auditAdmin(transaction, actor, { action: "list_keys", subjectId });
      const [all] = await transaction.select({ keys: count() }).from(developerKeys).where(ofSubject);
      const keys = await transaction
        .select({ id, subjectId: developerKeys.subjectId, label, prefix, createdAt, lastUsedAt, revokedAt })
        .from(developerKeys)
        .where(ofSubject)
        .orderBy(desc(createdAt), id)
        .limit(first)
        .offset(skip);
      return { keys, total: all?.keys ?? 0 };
    }),
  );
}

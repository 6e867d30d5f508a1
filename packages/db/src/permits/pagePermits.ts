import { and, asc, gt, type SQL } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { permits } from "../schema/permits";
import { type StoredPermit, toStored } from "./storePermit";

export type PermitPage = {
  first: number;
  skip: number;
  /** The seq of the last permit on the page before; undefined for the first page. */
  after?: number | undefined;
};

/** A page of a list of permits. `count` is the number of permits in the whole list. */
export type FoundPermits = { permits: StoredPermit[]; count: number; hasMore: boolean };

/** A page of the permits that match a condition, the oldest first. */
export async function pagePermits(
  database: Database,
  { first, skip, after = 0 }: PermitPage,
  matching: (db: Database["db"]) => SQL | undefined,
): Promise<FoundPermits> {
  const { rows, count } = await database.run("list permits", (db) =>
    // One snapshot: the page is a part of what is counted, whichever permits other requests end meanwhile.
    db.transaction(
      async (transaction) => {
        const rows = await transaction
          .select()
          .from(permits)
          .where(and(matching(db), gt(permits.seq, after)))
          .orderBy(asc(permits.seq))
          .offset(skip)
          .limit(first + 1);
        return { rows, count: await transaction.$count(permits, matching(db)) };
      },
      { isolationLevel: "repeatable read", accessMode: "read only" },
    ),
  );
  return { permits: rows.slice(0, first).map(toStored), count, hasMore: rows.length > first };
}

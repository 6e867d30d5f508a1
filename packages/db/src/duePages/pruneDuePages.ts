import { storedKind } from "@dueday/core/snapshots/snapshot";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";

/** Longer than a scan takes from writing a page to writing its snapshot, and than an API process serves a replaced snapshot. */
const KEPT_MINUTES = 60;

/**
 * Deletes due pages. Of this version: those that no stored snapshot names. Of another version: all, once none of its snapshots is left.
 *
 * @param keptMinutes a page that a scan needed within this time is not deleted
 * @returns the number of deleted pages
 */
export async function pruneDuePages(
  database: Database,
  { chainId, contract }: ContractScope,
  keptMinutes = KEPT_MINUTES,
): Promise<number> {
  const { sql } = database;
  return database.run("prune due pages", async () => {
    const deleted = await sql`
      with named as materialized (
        select distinct (regexp_matches(payload, '"([0-9a-f]{32})"', 'g'))[1] as hash from snapshots
        where chain_id = ${chainId} and contract = ${contract} and kind = ${storedKind("due")}
      )
      delete from due_pages p
      where chain_id = ${chainId} and contract = ${contract} and needed_at < now() - make_interval(mins => ${keptMinutes})
        and case when kind = ${storedKind("due")} then not exists (select from named where named.hash = p.hash)
          else not exists (
            select from snapshots s where s.chain_id = p.chain_id and s.contract = p.contract and s.kind = p.kind
          ) end`;
    return deleted.count;
  });
}

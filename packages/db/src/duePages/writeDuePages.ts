import { storedKind } from "@dueday/core/snapshots/snapshot";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";
import type { NewDuePage } from "./cutDueDay";

/** Pages in one statement: some megabytes, which even a slow database stores within the deadline. */
const PAGES_A_STATEMENT = 50;
/** A page that was marked as needed within this time is not marked again. `pruneDuePages` keeps pages for longer. */
const MARK_AFTER_MINUTES = 30;

/**
 * Stores the pages that are not stored yet, before the snapshot that names them.
 *
 * @returns how many were stored
 */
export async function writeDuePages(
  database: Database,
  { chainId, contract }: ContractScope,
  pages: readonly NewDuePage[],
): Promise<number> {
  if (pages.length === 0) return 0;
  const { sql } = database;
  const kind = storedKind("due");
  const hashes = pages.map(({ hash }) => hash);
  const found = await database.run(
    "find due pages",
    () => sql<{ hash: string }[]>`
      with marked as (
        update due_pages set needed_at = now()
        where chain_id = ${chainId} and contract = ${contract} and kind = ${kind} and hash = any(${hashes})
          and needed_at < now() - make_interval(mins => ${MARK_AFTER_MINUTES})
      )
      select hash from due_pages
      where chain_id = ${chainId} and contract = ${contract} and kind = ${kind} and hash = any(${hashes})`,
  );
  const stored = new Set(found.map(({ hash }) => hash));
  const missing = pages.filter(({ hash }) => !stored.has(hash));
  for (let from = 0; from < missing.length; from += PAGES_A_STATEMENT) {
    const rows = missing
      .slice(from, from + PAGES_A_STATEMENT)
      // In one order: two writers that lock rows in different orders can deadlock.
      .toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
    await database.run(
      "write due pages",
      () => sql`
        insert into due_pages (chain_id, contract, kind, hash, payload, needed_at)
        select ${chainId}, ${contract}, ${kind}, hash, payload, now()
        from unnest(${rows.map(({ hash }) => hash)}::text[], ${rows.map(({ payload }) => payload)}::text[]) as page (hash, payload)
        on conflict (chain_id, contract, kind, hash) do update set needed_at = excluded.needed_at`,
    );
  }
  return missing.length;
}

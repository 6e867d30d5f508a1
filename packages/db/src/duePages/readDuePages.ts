import { storedKind } from "@dueday/core/snapshots/snapshot";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";

/** The stored pages of these hashes, as JSON text. */
export async function readDuePages(
  database: Database,
  { chainId, contract }: ContractScope,
  hashes: readonly string[],
): Promise<Map<string, string>> {
  const rows = await database.run(
    "read due pages",
    () => database.sql<{ hash: string; payload: string }[]>`
      select hash, payload from due_pages
      where chain_id = ${chainId} and contract = ${contract} and kind = ${storedKind("due")} and hash = any(${[...hashes]})`,
  );
  return new Map(rows.map(({ hash, payload }) => [hash, payload]));
}

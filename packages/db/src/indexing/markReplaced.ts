import type { Database } from "../connectDatabase";
import type { BlockRange } from "../eventIndex/indexedLog";
import { recordReplaced } from "../eventIndex/rememberBlocks";
import type { ContractScope } from "../schema/columns";

/** Records that blocks above the checkpoint, for which answers may have been given, were replaced; both ends are included. */
export async function markReplaced(database: Database, scope: ContractScope, range: BlockRange): Promise<void> {
  await database.run("record replaced blocks", () => database.sql.begin((sql) => recordReplaced(sql, scope, range)));
}

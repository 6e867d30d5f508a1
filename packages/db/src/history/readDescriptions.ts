import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { cleanStored } from "../eventIndex/cleanStored";
import { type IndexAnswer, type NoState, readIndex } from "../eventIndex/readIndex";
import { bytesList, fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/** The current description of each of `ids`, cleaned; one that has none is absent. */
export async function readDescriptions(
  database: Database,
  scope: ContractScope,
  ids: readonly Hex[],
): Promise<IndexAnswer<Map<Hex, string>> | NoState> {
  return readIndex(database, scope, null, async (sql, { block }) => {
    const { chainId, contract } = scope;
    const rows = await sql<{ id: Uint8Array; description: string; truncated: boolean }[]>`
      select ids.id, latest.description, latest.truncated from ${bytesList(sql, ids)} ids(id) cross join lateral (
        select description, truncated from details_logs
        where chain_id = ${chainId} and contract = ${contract} and subscription_id = ids.id and block_number <= ${block.number}
        order by block_number desc, log_index desc limit 1) latest`;
    return new Map(
      rows.map(({ id, description, truncated }) => [
        fromBytes(id),
        cleanStored({ description }, truncated).description,
      ]),
    );
  });
}

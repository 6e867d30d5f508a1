import type { TransactionSql } from "postgres";
import { type LogsOf, logsOfBlocks } from "../eventIndex/chargesOf";
import type { ContractScope } from "../schema/columns";

export type LogPlace = { block_number: string; log_index: number };

/** With more places than this in each block on average, reading whole blocks costs less than looking up each place. */
const DENSE = 8;

/**
 * The logs that `chargesOf` needs for some places. Where a page has many places in a block, as for a provider, whole blocks are read. Where it
 * has few, as for a subscriber, only the places and their neighbours are read: a block may hold hundreds of other charges.
 */
export function logsOfPlaces(sql: TransactionSql, scope: ContractScope, places: readonly LogPlace[]): LogsOf {
  const blocks = [...new Set(places.map(({ block_number }) => block_number))];
  return places.length > DENSE * blocks.length
    ? logsOfBlocks(sql, scope, sql`block_number = any(${blocks}::bigint[])`)
    : logsAround(sql, scope, places);
}

/** The logs at some places, and in each table the logs before and after them: among these are the neighbours in both tables. */
function logsAround(sql: TransactionSql, { chainId, contract }: ContractScope, places: readonly LogPlace[]): LogsOf {
  const blocks = places.map(({ block_number }) => block_number);
  const indexes = places.map(({ log_index }) => log_index);
  return (table) => {
    const ofBlock = sql`
      select * from ${sql(table)} l where l.chain_id = ${chainId} and l.contract = ${contract} and l.block_number = place.block_number`;
    return sql`
      select distinct on (around.block_number, around.log_index) around.*
      from unnest(${blocks}::bigint[], ${indexes}::int[]) as place(block_number, log_index) cross join lateral (
        (${ofBlock} and l.log_index <= place.log_index order by l.log_index desc limit 2)
        union all (${ofBlock} and l.log_index > place.log_index order by l.log_index limit 1)) around`;
  };
}

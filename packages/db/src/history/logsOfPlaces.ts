import type { TransactionSql } from "postgres";
import { type LogsOf, logsOfBlocks } from "../eventIndex/chargesOf";
import type { ContractScope } from "../schema/columns";

export type LogPlace = { block_number: string; log_index: number };

/** From so many places in each block on, reading its other logs too costs less than looking up each place. */
const DENSE = 8;

/**
 * What `chargesOf` needs to read the logs at some places. Where a page has many of a block, as those of a provider, the whole blocks are read;
 * where it has few, as those of a subscriber, their neighbours alone: a block may hold hundreds of other charges.
 */
export function logsOfPlaces(sql: TransactionSql, scope: ContractScope, places: readonly LogPlace[]): LogsOf {
  const blocks = [...new Set(places.map(({ block_number }) => block_number))];
  return places.length > DENSE * blocks.length
    ? logsOfBlocks(sql, scope, sql`block_number = any(${blocks}::bigint[])`)
    : logsAround(sql, scope, places);
}

/** The logs at some places, and of each table those before and after, which include the neighbours of both tables. */
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

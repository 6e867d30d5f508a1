import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import type { Period } from "@dueday/core/calendar/periods";
import type { TransactionSql } from "postgres";
import type { ContractScope } from "../schema/columns";

/**
 * A range of blocks that holds all SubLog events of some days and no other SubLog events: `from` is included, `before` is not. They are
 * equal where these days have no events. Found by bisection of the stored events, because no database index contains their time: some 25
 * look-ups by block number, whatever the size of the index.
 */
export async function blocksOfDays(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  { start, end }: Period,
): Promise<{ from: number; before: number }> {
  const ofContract = sql`l.chain_id = ${chainId} and l.contract = ${contract}`;
  // Every event below block `low` is older than `time`, and no event from block `high` on is.
  const [row] = await sql<{ from: number | null; before: number | null }[]>`
    with recursive search as (
      select time, first.block_number as low, last.block_number + 1 as high
      from unnest(${[start * DAY_SECONDS, (end + 1) * DAY_SECONDS]}::bigint[]) as t(time),
        (select block_number from sub_logs l where ${ofContract} order by block_number, log_index limit 1) first,
        (select block_number from sub_logs l where ${ofContract} order by block_number desc, log_index desc limit 1) last
      union all
      select time, case when found.timestamp < time then found.block_number + 1 else low end,
        case when found.timestamp < time then high else (low + high) / 2 end
      from search, lateral (
        select block_number, timestamp from sub_logs l where ${ofContract} and block_number >= (low + high) / 2
        order by block_number, log_index limit 1) found
      where low < high
    )
    select min(low) filter (where time = ${start * DAY_SECONDS})::float8 as from,
      min(low) filter (where time = ${(end + 1) * DAY_SECONDS})::float8 as before
    from search where low = high`;
  return { from: row?.from ?? 0, before: row?.before ?? 0 };
}

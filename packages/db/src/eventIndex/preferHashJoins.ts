import type { TransactionSql } from "postgres";

/**
 * Selects hash joins or look-ups by key for the statements of this transaction. The planner has no statistics of rows that the
 * transaction itself wrote: it expects one row where there are thousands and plans a nested loop over all pairs. Hash joins are
 * right for many rows, look-ups for few. Cached plans are disabled, because a plan for one case would be reused for the other.
 */
export async function preferHashJoins(sql: TransactionSql, prefer: boolean): Promise<void> {
  await sql`select set_config('plan_cache_mode', 'force_custom_plan', true),
    set_config('enable_nestloop', ${prefer ? "off" : "on"}, true)`;
}

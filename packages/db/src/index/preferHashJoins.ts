import type { TransactionSql } from "postgres";

/**
 * Tells the planner, for this transaction, how the derived tables are joined. Its statistics never know of rows just written,
 * so it takes a batch of thousands for one row, and loops over all pairs. With many rows we know that hash joins are right;
 * with few, look-ups by key. A plan made for one must not be kept for the other.
 */
export async function preferHashJoins(sql: TransactionSql, prefer: boolean): Promise<void> {
  await sql`select set_config('plan_cache_mode', 'force_custom_plan', true),
    set_config('enable_nestloop', ${prefer ? "off" : "on"}, true)`;
}

import type { PendingQuery, Row, TransactionSql } from "postgres";

/** The month of a day number, as `cohort_months` counts months: 12 x year + month, from 0 for January. */
export function monthOf(sql: TransactionSql, day: PendingQuery<Row[]>) {
  const date = sql`(date '1970-01-01' + (${day})::int)`;
  return sql`(date_part('year', ${date}) * 12 + date_part('month', ${date}) - 1)::int`;
}

import { CHARGES_A_YEAR } from "@dueday/core/amounts/monthlyRevenue";
import type { PendingQuery, Row, TransactionSql } from "postgres";

/** The columns of a subscription's terms: `amount` has 18 decimals, `decimals` those of its token. */
type Terms = Record<"amount" | "frequency" | "decimals", PendingQuery<Row[]>>;

/**
 * What a membership brings each month, in twelfths of token units. The amount is converted to token units first, as the contract
 * does.
 */
export function monthlyTwelfths(sql: TransactionSql, { amount, frequency, decimals }: Terms) {
  const chargesAYear = CHARGES_A_YEAR.map((charges) => Number(charges));
  const known = sql`coalesce(${decimals}, 18)`;
  return sql`((${chargesAYear}::bigint[])[${frequency} + 1] * case
    when ${known} <= 18 then div(${amount}, ('1e' || (18 - ${known}))::numeric)
    else ${amount} * ('1e' || (${known} - 18))::numeric end)`;
}

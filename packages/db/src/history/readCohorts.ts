import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { monthOfDay } from "@dueday/core/calendar/months";
import { cleanText } from "@dueday/core/text/cleanText";
import type { TransactionSql } from "postgres";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import type { IndexScope } from "../eventIndex/coveredHead";
import { type IndexAnswer, type NoState, readCompleteIndex } from "../eventIndex/readIndex";
import { fromBytes, toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/** First and last months, both included, as `monthOfDay` counts them. */
export type MonthRange = { from: number; to: number };

export type CohortQuery = {
  provider: Hex;
  token?: Hex | undefined;
  /**
   * The months of first charges, for an index whose newest block is in the month `thisMonth`; null where the requested
   * months are not valid.
   */
  months: (thisMonth: number) => MonthRange | null;
};

/** A cohort at the end of one of its months, or now where that month has not ended. `paid` is in token units. */
export type CohortMonth = {
  /** `cohort` is the month of the first charges, `month` the month that is described. */
  cohort: number;
  month: number;
  token: Hex;
  tokenSymbol: string;
  tokenDecimals: number;
  joined: number;
  active: number;
  /** Whole charges of this month. */
  paid: bigint;
};

/**
 * By cohort, oldest first, then by token, then by month, without gaps up to the newest indexed block. `months` is what the query's `months`
 * returned.
 */
export type CohortPage = { months: MonthRange; cohorts: CohortMonth[] };

/** The memberships of a provider by the month of their first charge. `value` is null where the query's `months` returns null. */
export async function readCohorts(
  database: Database,
  scope: IndexScope,
  { months: monthsAt, ...query }: CohortQuery,
): Promise<IndexAnswer<CohortPage | null> | NoState> {
  return readCompleteIndex(database, scope, async (sql, { latest }) => {
    const thisMonth = monthOfDay(dayNumber(latest.timestamp));
    const months = monthsAt(thisMonth);
    if (months === null) return null;
    const rows = await readSums(sql, scope, { ...query, months });
    const cohorts = Map.groupBy(rows, ({ cohort, token }) => `${cohort} ${fromBytes(token)}`);
    return { months, cohorts: [...cohorts.values()].flatMap((ofCohort) => toMonths(ofCohort, thisMonth)) };
  });
}

type SumRow = {
  cohort: number;
  month: number;
  token: Uint8Array;
  symbol: string | null;
  decimals: number | null;
  joined: number;
  active_change: number;
  charged: string;
};

async function readSums(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  { provider, token, months }: Omit<CohortQuery, "months"> & { months: MonthRange },
): Promise<SumRow[]> {
  return sql<SumRow[]>`
    select c.cohort, c.month, c.token, t.symbol, t.decimals, c.joined, c.active_change, c.charged
    from cohort_months c
    left join indexed_tokens t on t.chain_id = c.chain_id and t.contract = c.contract and t.token = c.token
    where c.chain_id = ${chainId} and c.contract = ${contract} and c.provider = ${toBytes(provider)}
      and c.cohort between ${months.from} and ${months.to}
      ${token === undefined ? sql`` : sql`and c.token = ${toBytes(token)}`}
    order by c.cohort, c.token, c.month`;
}

/** The months of one cohort in one token, also those in which nothing happened. */
function toMonths(rows: readonly SumRow[], thisMonth: number): CohortMonth[] {
  const [first] = rows;
  if (first === undefined) return [];
  const { cohort, token, symbol, decimals } = first;
  const byMonth = new Map(rows.map((row) => [row.month, row]));
  const joined = byMonth.get(cohort)?.joined ?? 0;
  const last = Math.max(thisMonth, rows.at(-1)?.month ?? cohort);
  let active = 0;
  return Array.from({ length: last - cohort + 1 }, (_, after) => {
    const month = cohort + after;
    const row = byMonth.get(month);
    active += row?.active_change ?? 0;
    return {
      cohort,
      month,
      token: fromBytes(token),
      // The indexer stores a token with its first event.
      tokenSymbol: cleanText(symbol ?? "").text,
      tokenDecimals: decimals ?? 18,
      joined,
      active,
      paid: BigInt(row?.charged ?? 0),
    };
  });
}

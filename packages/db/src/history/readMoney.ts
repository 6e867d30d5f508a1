import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { Period } from "@dueday/core/calendar/periods";
import { cleanText } from "@dueday/core/text/cleanText";
import type { TransactionSql } from "postgres";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { type IndexAnswer, type NoState, readCompleteIndex } from "../eventIndex/readIndex";
import { fromBytes, toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/** Which charges of an account: those that it received as provider, or paid as subscriber. */
export type MoneyRole = "provider" | "subscriber";

const ROLES: Readonly<Record<MoneyRole, number>> = { provider: 0, subscriber: 1 };

export type MoneyQuery = {
  account: Hex;
  role: MoneyRole;
  /** Only this token. */
  token?: Hex | undefined;
  /**
   * The periods to sum by, oldest first and without gaps, for an index whose newest block is of the day `today`; null where the
   * requested periods are not valid.
   */
  periods: (today: number) => readonly Period[] | null;
};

/** What moved in one token. Amounts are in token units. */
export type MoneySum = {
  token: Hex;
  tokenSymbol: string;
  tokenDecimals: number;
  /** By charges: what the provider received, or what the subscriber paid. */
  paid: bigint;
  /** Whole amounts of charges that failed. */
  failed: bigint;
  /** Fee balances paid out to the account. */
  refunded: bigint;
  charges: number;
  failures: number;
};

export type PeriodMoney = { period: Period } & MoneySum;

/** What was charged in each period, by token; periods without anything are left out. `periods` is what the query's `periods` returned. */
export type MoneyPage = { periods: readonly Period[]; sums: PeriodMoney[] };

/** The money of an account by period, oldest first. `value` is null where the query's `periods` returns null. */
export async function readMoney(
  database: Database,
  scope: ContractScope,
  { account, role, token, periods: periodsAt }: MoneyQuery,
): Promise<IndexAnswer<MoneyPage | null> | NoState> {
  return readCompleteIndex(database, scope, async (sql, { latest }) => {
    const periods = periodsAt(dayNumber(latest.timestamp));
    if (periods === null || periods.length === 0) return null;
    return { periods, sums: await sumMoney(sql, scope, { account, role, token, periods }) };
  });
}

/** The sums of each of `periods`, which are oldest first and without gaps, by token. */
export async function sumMoney(
  sql: TransactionSql,
  scope: ContractScope,
  { account, role, token, periods }: Omit<MoneyQuery, "periods"> & { periods: readonly Period[] },
): Promise<PeriodMoney[]> {
  const [first, last] = [periods[0], periods.at(-1)];
  if (first === undefined || last === undefined) return [];
  const rows = await sql<SumRow[]>`
    select m.*, t.symbol, t.decimals from (
      select width_bucket(day, ${periods.map(({ start }) => start)}::bigint[]) as period, token, sum(paid) as paid,
        sum(failed) as failed, sum(refunded) as refunded, sum(charges)::float8 as charges,
        sum(failures)::float8 as failures
      from daily_money
      where chain_id = ${scope.chainId} and contract = ${scope.contract} and account = ${toBytes(account)}
        and role = ${ROLES[role]} and day between ${first.start} and ${last.end}
        ${token === undefined ? sql`` : sql`and token = ${toBytes(token)}`}
      group by period, token) m
    left join indexed_tokens t on t.chain_id = ${scope.chainId} and t.contract = ${scope.contract} and t.token = m.token
    order by period, m.token`;
  return rows.map((row) => ({ period: periods[row.period - 1] ?? first, ...toSum(row) }));
}

type SumRow = Record<"paid" | "failed" | "refunded", string> & {
  period: number;
  token: Uint8Array;
  charges: number;
  failures: number;
  symbol: string | null;
  decimals: number | null;
};

function toSum({ token, symbol, decimals, paid, failed, refunded, charges, failures }: SumRow): MoneySum {
  return {
    token: fromBytes(token),
    // The indexer stores a token with its first event.
    tokenSymbol: cleanText(symbol ?? "").text,
    tokenDecimals: decimals ?? 18,
    paid: BigInt(paid),
    failed: BigInt(failed),
    refunded: BigInt(refunded),
    charges,
    failures,
  };
}

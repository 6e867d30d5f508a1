import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import type { Database } from "../connectDatabase";
import { type IndexAnswer, type NoState, readCompleteIndex } from "../eventIndex/readIndex";
import { fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import { type FeeRow, type StoredRemit, toFee } from "./listRemits";

/** What one keeper did in a span of time. */
export type KeeperRecord = Pick<StoredRemit, "keeper" | "payments" | "failures" | "callerFees" | "costWei"> & {
  /** Number of transactions that called remit(). */
  remits: number;
  /** Median of its transactions' `lagSeconds`. */
  medianLagSeconds: number;
};

/** A page of keepers. `total` is the number of all keepers, `payments` the number of all their payments. */
export type KeeperPage = { keepers: KeeperRecord[]; total: number; payments: number };

/** The keepers that called remit() in the last `days` before the newest block of the index, most payments first. */
export async function rankKeepers(
  database: Database,
  scope: ContractScope,
  { days, first, skip }: { days: number; first: number; skip: number },
): Promise<IndexAnswer<KeeperPage> | NoState> {
  return readCompleteIndex(database, scope, async (sql, { latest }) => {
    const since = latest.timestamp - days * DAY_SECONDS;
    const rows = await sql<(KeeperRow | TotalsRow)[]>`
      with recent as materialized (
        select r.keeper, r.payments, r.failures, r.lag_seconds, r.block_number, r.transaction_hash, c.cost_wei
        from remits r left join receipts c using (chain_id, contract, block_number, transaction_hash)
        where r.chain_id = ${scope.chainId} and r.contract = ${scope.contract} and r.timestamp > ${since}
      ), totals as (
        select count(distinct keeper)::float8 as total, coalesce(sum(payments), 0)::float8 as all_payments from recent
      ), ranked as materialized (
        select keeper, count(*)::float8 as remits, sum(payments)::float8 as payments, sum(failures)::float8 as failures,
          case when count(cost_wei) = count(*) then sum(cost_wei)::text end as cost_wei, percentile_cont(0.5) within group (order by lag_seconds) as median_lag
        from recent group by keeper order by sum(payments) desc, keeper limit ${first} offset ${skip}
      )
      select totals.*, ranked.*, fees.fees from totals left join ranked on true left join lateral (
        select json_agg(json_build_array(encode(token, 'hex'), units, symbol, decimals) order by token) as fees from (
          select f.token, sum(f.units)::text as units, t.symbol, t.decimals from recent
          join keeper_fees f on f.chain_id = ${scope.chainId} and f.contract = ${scope.contract}
            and f.block_number = recent.block_number and f.transaction_hash = recent.transaction_hash
          left join indexed_tokens t on t.chain_id = f.chain_id and t.contract = f.contract and t.token = f.token
          where recent.keeper = ranked.keeper group by f.token, t.symbol, t.decimals) of_token) fees on true
      order by payments desc, keeper`;
    const [top] = rows;
    // A page without keepers has one row, that of the totals.
    const keepers = rows.filter((row): row is KeeperRow => row.keeper !== null).map(toKeeper);
    return { keepers, total: top?.total ?? 0, payments: top?.all_payments ?? 0 };
  });
}

/** The columns of a keeper are null where the page has none. */
type TotalsRow = { total: number; all_payments: number; keeper: null };

type KeeperRow = Omit<TotalsRow, "keeper"> & {
  keeper: Uint8Array;
  remits: number;
  payments: number;
  failures: number;
  /** Null where the receipt of a transaction is missing. */
  cost_wei: string | null;
  median_lag: number;
  fees: FeeRow[] | null;
};

function toKeeper({ keeper, remits, payments, failures, cost_wei, median_lag, fees }: KeeperRow): KeeperRecord {
  if (cost_wei === null) throw new Error("the index is marked complete and lacks a receipt of a keeper");
  return {
    keeper: fromBytes(keeper),
    remits,
    payments,
    failures,
    callerFees: (fees ?? []).map(toFee),
    costWei: BigInt(cost_wei),
    medianLagSeconds: Math.round(median_lag),
  };
}

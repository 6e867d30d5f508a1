import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { fromBytes, toBytes } from "../index/bytes";
import { type IndexAnswer, type NoState, readIndex } from "../index/readIndex";
import type { ContractScope } from "../schema/columns";
import type { Page } from "./readEvents";

/** Both times are unix seconds and included. */
export type RemitFilters = { keeper?: Hex; fromTimestamp?: number; toTimestamp?: number };

/** A transaction that called remit(). */
export type StoredRemit = {
  transactionHash: Hex;
  blockNumber: number;
  /** Unix seconds. */
  timestamp: number;
  /** The account that the contract paid: the caller of remit(). */
  keeper: Hex;
  /** Day numbers that the transaction closed, in order; empty if it stopped at a page break. */
  closedDays: number[];
  /** Payments that it handled, failed ones included. */
  payments: number;
  failures: number;
};

export type RemitPage = { remits: StoredRemit[]; total: number };

/** Transactions that called remit(), newest first. Several calls in one transaction are one entry. */
export async function listRemits(
  database: Database,
  scope: ContractScope,
  { keeper, fromTimestamp, toTimestamp }: RemitFilters,
  { first, skip, atBlock }: Page,
): Promise<IndexAnswer<RemitPage> | NoState> {
  return readIndex(database, scope, atBlock, async (sql, state) => {
    const inContract = sql`chain_id = ${scope.chainId} and contract = ${scope.contract}`;
    const matching = sql`${inContract} and block_number <= ${state.block.number}
      ${keeper === undefined ? sql`` : sql`and caller = ${toBytes(keeper)}`}
      ${fromTimestamp === undefined ? sql`` : sql`and timestamp >= ${fromTimestamp}`}
      ${toTimestamp === undefined ? sql`` : sql`and timestamp <= ${toTimestamp}`}`;
    const [count] = await sql<{ total: number }[]>`
      select count(distinct transaction_hash)::float8 as total from caller_logs where ${matching}`;
    const inTransaction = sql`${inContract} and l.block_number = remit.block_number
      and l.transaction_hash = remit.transaction_hash`;
    const rows = await sql<RemitRow[]>`
      select remit.*,
        (select count(*) from coordinates_logs l where ${inTransaction})::float8 as payments,
        (select count(*) from sub_logs l where ${inTransaction} and code = ${subLogCode.Failed})::float8 as failures
      from (
        select transaction_hash, block_number, min(timestamp)::float8 as timestamp, (array_agg(caller order by log_index))[1] as keeper,
          coalesce(array_agg(checked_day::float8 order by log_index) filter (where is_finished), '{}') as closed_days,
          max(log_index) as last_log
        from caller_logs where ${matching} group by block_number, transaction_hash
        order by block_number desc, last_log desc limit ${first} offset ${skip}) remit
      order by block_number desc, last_log desc`;
    return { remits: rows.map(toRemit), total: count?.total ?? 0 };
  });
}

type RemitRow = Record<"transaction_hash" | "keeper", Uint8Array> & {
  block_number: string;
  timestamp: number;
  closed_days: number[];
  payments: number;
  failures: number;
};

function toRemit({ transaction_hash, block_number, keeper, closed_days, ...row }: RemitRow): StoredRemit {
  const { timestamp, payments, failures } = row;
  return {
    ...{ transactionHash: fromBytes(transaction_hash), blockNumber: Number(block_number), timestamp },
    ...{ keeper: fromBytes(keeper), closedDays: closed_days, payments, failures },
  };
}

import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import { cleanText } from "@dueday/core/text/cleanText";
import { getAddress, type Hex } from "viem";
import type { Database } from "../connectDatabase";
import { type IndexAnswer, type NoState, readCompleteIndex } from "../eventIndex/readIndex";
import { fromBytes, toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import type { LogCursor } from "./readEvents";

/** Both times are unix seconds and included. */
export type RemitFilters = { keeper?: Hex; fromTimestamp?: number; toTimestamp?: number };

/** A sum of one token, in token units. */
export type TokenUnits = { token: TokenInfo; units: bigint };

/** A transaction that called remit(). */
export type StoredRemit = LogCursor & {
  transactionHash: Hex;
  /** Unix seconds. */
  timestamp: number;
  /** The account that the contract paid: the caller of remit(). */
  keeper: Hex;
  /** Day numbers that the transaction closed, in order; empty if it stopped at a page break before it had closed a day. */
  closedDays: number[];
  /** Payments that it handled, failed ones included. */
  payments: number;
  failures: number;
  /**
   * Seconds between midnight UTC of the oldest day whose payments it settled (without payments, of the last day that it reached) and the
   * transaction.
   */
  lagSeconds: number;
  /** What the keeper received. */
  callerFees: TokenUnits[];
  gasUsed: bigint;
  /** What the keeper paid for gas, the fee of an L1 included. */
  costWei: bigint;
};

export type RemitPage = { remits: StoredRemit[]; hasMore: boolean };

/** Transactions that called remit(), newest first. Several calls in one transaction are one entry. */
export async function listRemits(
  database: Database,
  scope: ContractScope,
  { keeper, fromTimestamp, toTimestamp }: RemitFilters,
  { first, after }: { first: number; after?: LogCursor | undefined },
): Promise<IndexAnswer<RemitPage> | NoState> {
  return readCompleteIndex(database, scope, async (sql) => {
    const ours = sql`chain_id = ${scope.chainId} and contract = ${scope.contract}`;
    // Times grow with block numbers: first and last block come from the database index of times, the page from that of
    // blocks.
    const since = sql`block_number >= (select block_number from remits where ${ours}
      and timestamp >= ${fromTimestamp ?? 0} order by timestamp, block_number limit 1)`;
    const until = sql`block_number <= (select block_number from remits where ${ours}
      and timestamp <= ${toTimestamp ?? 0} order by timestamp desc, block_number desc limit 1)`;
    const rows = await sql<RemitRow[]>`
      select r.*, c.gas_used, c.cost_wei, fees.fees from (
        select block_number, log_index, transaction_hash, timestamp::float8 as timestamp, keeper,
          closed_days::float8[] as closed_days, payments, failures, lag_seconds::float8 as lag_seconds
        from remits where ${ours} ${keeper === undefined ? sql`` : sql`and keeper = ${toBytes(keeper)}`}
          ${fromTimestamp === undefined ? sql`` : sql`and ${since}`} ${toTimestamp === undefined ? sql`` : sql`and ${until}`}
          ${after === undefined ? sql`` : sql`and (block_number, log_index) < (${after.blockNumber}, ${after.logIndex})`}
        order by block_number desc, log_index desc limit ${first + 1}) r
      left join receipts c on c.chain_id = ${scope.chainId} and c.contract = ${scope.contract}
        and c.block_number = r.block_number and c.transaction_hash = r.transaction_hash
      left join lateral (
        select json_agg(json_build_array(encode(f.token, 'hex'), f.units::text, t.symbol, t.decimals) order by f.token) as fees
        from keeper_fees f left join indexed_tokens t using (chain_id, contract, token)
        where f.chain_id = ${scope.chainId} and f.contract = ${scope.contract}
          and f.block_number = r.block_number and f.transaction_hash = r.transaction_hash) fees on true
      order by r.block_number desc, r.log_index desc`;
    return { remits: rows.slice(0, first).map(toRemit), hasMore: rows.length > first };
  });
}

/** Token (hex without 0x), token units, symbol and decimals. */
export type FeeRow = [string, string, string | null, number | null];

type RemitRow = Record<"transaction_hash" | "keeper", Uint8Array> & {
  block_number: string;
  log_index: number;
  timestamp: number;
  closed_days: number[];
  payments: number;
  failures: number;
  lag_seconds: number;
  fees: FeeRow[] | null;
  gas_used: string | null;
  cost_wei: string | null;
};

function toRemit(row: RemitRow): StoredRemit {
  const { transaction_hash, block_number, log_index, closed_days, lag_seconds, gas_used, cost_wei } = row;
  const { keeper, timestamp, payments, failures, fees } = row;
  if (gas_used === null || cost_wei === null)
    throw new Error("the index is marked complete and lacks the receipt of a remit()");
  return {
    blockNumber: Number(block_number),
    logIndex: log_index,
    transactionHash: fromBytes(transaction_hash),
    timestamp,
    keeper: fromBytes(keeper),
    closedDays: closed_days,
    payments,
    failures,
    lagSeconds: lag_seconds,
    callerFees: (fees ?? []).map(toFee),
    gasUsed: BigInt(gas_used),
    costWei: BigInt(cost_wei),
  };
}

export function toFee([token, units, symbol, decimals]: FeeRow): TokenUnits {
  const info = { address: getAddress(`0x${token}`), symbol: cleanText(symbol ?? "").text, decimals: decimals ?? 18 };
  return { token: info, units: BigInt(units) };
}

import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { type IndexAnswer, type NoState, readIndex } from "../eventIndex/readIndex";
import { fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/** A day that remit() has begun and not closed. */
export type PageBreak = {
  dayNumber: number;
  /** The last payment that was handled; null if the page handled none. The contract's checkpoint is the entry after it. */
  lastPayment: {
    id: Hex;
    frequency: number;
    /** Positions in the contract's lists, counted from 1. */
    subscriberIndex: bigint;
    subscriptionIndex: bigint;
  } | null;
};

/**
 * The page break at which the latest remit() stopped; `value` is null if it closed its day, or if there was none. Admin calls
 * that move the checkpoint emit no event, so a caller must verify the result against the chain.
 */
export async function readPageBreak(
  database: Database,
  scope: ContractScope,
): Promise<IndexAnswer<PageBreak | null> | NoState> {
  return readIndex(database, scope, null, async (sql) => {
    const inContract = sql`chain_id = ${scope.chainId} and contract = ${scope.contract}`;
    const [row] = await sql<PageBreakRow[]>`
      select latest.checked_day::float8 as day_number, payment.*
      from (select checked_day, is_finished, block_number, log_index from caller_logs where ${inContract}
        order by block_number desc, log_index desc limit 1) latest
      left join lateral (
        select subscription_id, frequency::float8 as frequency, subscriber_index, subscription_index
        from coordinates_logs l where ${inContract} and next_unchecked_day = latest.checked_day
          and (l.block_number, l.log_index) < (latest.block_number, latest.log_index)
        order by l.block_number desc, l.log_index desc limit 1) payment on true
      where not latest.is_finished`;
    return row === undefined ? null : { dayNumber: row.day_number, lastPayment: toPayment(row) };
  });
}

type PageBreakRow = {
  day_number: number;
  subscription_id: Uint8Array | null;
  frequency: number;
  subscriber_index: string;
  subscription_index: string;
};

function toPayment({ subscription_id, frequency, ...position }: PageBreakRow): PageBreak["lastPayment"] {
  if (subscription_id === null) return null;
  return {
    id: fromBytes(subscription_id),
    frequency,
    subscriberIndex: BigInt(position.subscriber_index),
    subscriptionIndex: BigInt(position.subscription_index),
  };
}

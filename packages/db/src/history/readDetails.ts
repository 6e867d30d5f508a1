import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { cleanStored } from "../eventIndex/cleanStored";
import { type IndexAnswer, type NoState, readIndex } from "../eventIndex/readIndex";
import { fromBytes, toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import type { EventFilters, Page } from "./readEvents";

/** One version of the details of a subscription. Texts are cleaned; `truncated` if one was cut. */
export type StoredDetails = {
  url: string;
  description: string;
  truncated: boolean;
  /** Unix seconds. */
  timestamp: number;
  blockNumber: number;
  logIndex: number;
  transactionHash: Hex;
};

/** Filters of a list of details. Both times are unix seconds and included. */
export type DetailsFilters = Pick<EventFilters, "fromTimestamp" | "toTimestamp">;

export type DetailsPage = { entries: StoredDetails[]; total: number };

/** The versions of the details of a subscription, newest first; `value` is null if it was never created. */
export async function readDetails(
  database: Database,
  scope: ContractScope,
  id: Hex,
  { first, skip, atBlock, after }: Page,
  { fromTimestamp = 0, toTimestamp = Number.MAX_SAFE_INTEGER }: DetailsFilters = {},
): Promise<IndexAnswer<DetailsPage | null> | NoState> {
  return readIndex(database, scope, atBlock, async (sql, state) => {
    const { chainId, contract } = scope;
    const inContract = sql`chain_id = ${chainId} and contract = ${contract}`;
    const matching = sql`${inContract} and subscription_id = ${toBytes(id)} and block_number <= ${state.block.number}
      and timestamp between ${fromTimestamp} and ${toTimestamp}`;
    const [count] = await sql<{ total: number }[]>`
      select (select count(*) from details_logs where ${matching})::float8 as total
      from subscriptions where ${inContract} and id = ${toBytes(id)}`;
    if (count === undefined) return null;
    const rows = await sql<DetailsRow[]>`
      select url, description, truncated, timestamp, block_number, log_index, transaction_hash from details_logs
      where ${matching} ${after === undefined ? sql`` : sql`and (block_number, log_index) < (${after.blockNumber}, ${after.logIndex})`}
      order by block_number desc, log_index desc limit ${first} offset ${skip}`;
    return { entries: rows.map(toDetails), total: count.total };
  });
}

type DetailsRow = {
  url: string;
  description: string;
  truncated: boolean;
  timestamp: string;
  block_number: string;
  log_index: number;
  transaction_hash: Uint8Array;
};

function toDetails(row: DetailsRow): StoredDetails {
  const { url, description, truncated, timestamp, block_number, log_index, transaction_hash } = row;
  return {
    ...cleanStored({ url, description }, truncated),
    timestamp: Number(timestamp),
    blockNumber: Number(block_number),
    logIndex: log_index,
    transactionHash: fromBytes(transaction_hash),
  };
}

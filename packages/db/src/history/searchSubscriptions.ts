import type { NamedSeller } from "@dueday/core/schemas/seller";
import { cleanText } from "@dueday/core/text/cleanText";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { cleanStored } from "../eventIndex/cleanStored";
import { type IndexAnswer, type NoState, readIndex } from "../eventIndex/readIndex";
import { fromBytes, toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import type { Page } from "./readEvents";
import { verifiedDomain } from "./verifiedDomain";

export type SubscriptionFilters = { provider?: Hex; token?: Hex; frequency?: number; cancelled: boolean };

/** A subscription at the block of the answer. `amount` has 18 decimals. */
export type StoredSubscription = {
  id: Hex;
  provider: Hex;
  token: Hex;
  tokenSymbol: string;
  tokenDecimals: number;
  amount: bigint;
  frequency: number;
  dueDay: number;
  cancelled: boolean;
  /** Number of accounts that are subscribed according to the events. */
  activeSubscribers: number;
  details: { url: string; description: string; truncated: boolean } | null;
  /** The seller as its latest profile names it, whatever the block of the answer. */
  seller: NamedSeller;
};

export type SearchPage = { subscriptions: StoredSubscription[]; total: number };

/** Subscriptions that match all filters, newest first. */
export async function searchSubscriptions(
  database: Database,
  scope: ContractScope,
  filters: SubscriptionFilters,
  { first, skip, atBlock }: Page,
): Promise<IndexAnswer<SearchPage> | NoState> {
  return readIndex(database, scope, atBlock, async (sql, state) => {
    const { chainId, contract } = scope;
    const { provider, token, frequency, cancelled } = filters;
    const { number: at } = state.block;
    const wasCancelled = sql`cancelled_block is not null and cancelled_block <= ${at}`;
    const wasNotCancelled = sql`(cancelled_block is null or cancelled_block > ${at})`;
    const matching = sql`chain_id = ${chainId} and contract = ${contract} and created_block <= ${at}
      and ${cancelled ? wasCancelled : wasNotCancelled}
      ${provider === undefined ? sql`` : sql`and provider = ${toBytes(provider)}`}
      ${token === undefined ? sql`` : sql`and token = ${toBytes(token)}`}
      ${frequency === undefined ? sql`` : sql`and frequency = ${frequency}`}`;
    const [count] = await sql<{ total: number }[]>`
      select count(*)::float8 as total from subscriptions where ${matching}`;
    const laterChanges = sql`
      select coalesce(sum(m.active::int - coalesce((
        select (l.code = 6)::int from sub_logs l where l.chain_id = ${chainId} and l.contract = ${contract}
          and l.subscription_id = m.subscription_id and l.subscriber = m.subscriber and l.code in (6, 7)
          and l.block_number <= ${at} order by l.block_number desc, l.log_index desc limit 1), 0)), 0)
      from memberships m where m.chain_id = ${chainId} and m.contract = ${contract} and m.subscription_id = s.id
        and m.changed_block > ${at}`;
    const earlierDetails = sql`
      left join lateral (select url, description, truncated from details_logs l where l.chain_id = ${chainId}
        and l.contract = ${contract} and l.subscription_id = s.id and l.block_number <= ${at}
        order by l.block_number desc, l.log_index desc limit 1) d on true`;
    const rows = await sql<SubscriptionRow[]>`
      select s.id, s.provider, s.token, s.amount, s.frequency, s.due_day, t.symbol, t.decimals,
        (s.active_subscribers - ${state.isLatest ? sql`0` : sql`(${laterChanges})`})::float8 as active_subscribers,
        ${state.isLatest ? sql`s.url, s.description, s.details_truncated` : sql`d.url, d.description, d.truncated`}
          as truncated, p.company, ${verifiedDomain(sql)} as verified_domain
      from (select chain_id, contract, created_block, created_log_index from subscriptions where ${matching}
        order by created_block desc, created_log_index desc limit ${first} offset ${skip}) page
      join subscriptions s using (chain_id, contract, created_block, created_log_index)
      left join indexed_tokens t on t.chain_id = s.chain_id and t.contract = s.contract and t.token = s.token
      left join provider_profiles p on p.chain_id = s.chain_id and p.contract = s.contract and p.provider = s.provider
      ${state.isLatest ? sql`` : earlierDetails}
      order by s.created_block desc, s.created_log_index desc`;
    return { subscriptions: rows.map((row) => toSubscription(row, cancelled)), total: count?.total ?? 0 };
  });
}

type SubscriptionRow = Record<"id" | "provider" | "token", Uint8Array> & {
  amount: string;
  frequency: number;
  due_day: number;
  symbol: string | null;
  decimals: number | null;
  active_subscribers: number;
  url: string | null;
  description: string | null;
  truncated: boolean | null;
  company: string | null;
  verified_domain: string | null;
};

function toSubscription(row: SubscriptionRow, cancelled: boolean): StoredSubscription {
  const { url, description, truncated } = row;
  return {
    id: fromBytes(row.id),
    provider: fromBytes(row.provider),
    token: fromBytes(row.token),
    // The indexer stores a token with its first event.
    tokenSymbol: cleanText(row.symbol ?? "").text,
    tokenDecimals: row.decimals ?? 18,
    amount: BigInt(row.amount),
    frequency: row.frequency,
    dueDay: row.due_day,
    cancelled,
    activeSubscribers: row.active_subscribers,
    details: url === null || description === null ? null : cleanStored({ url, description }, truncated === true),
    seller: { company: row.company, verifiedDomain: row.verified_domain },
  };
}

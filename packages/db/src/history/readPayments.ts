import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { Period } from "@dueday/core/calendar/periods";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { cleanText } from "@dueday/core/text/cleanText";
import type { PendingQuery, Row, TransactionSql } from "postgres";
import { getAddress, type Hex } from "viem";
import type { Database } from "../connectDatabase";
import { chargesOf, MONEY_CODES } from "../eventIndex/chargesOf";
import type { IndexScope } from "../eventIndex/coveredHead";
import { type IndexAnswer, type NoState, readCompleteIndex } from "../eventIndex/readIndex";
import { fromBytes, toBytes } from "../rows/bytes";
import { blocksOfDays } from "./blocksOfDays";
import { type LogPlace, logsOfPlaces } from "./logsOfPlaces";
import type { LogCursor } from "./readEvents";
import { type PeriodMoney, sumMoney } from "./readMoney";

/** A charge, a failure, or the end of a fee balance. */
export type PaymentKind = "initial" | "recurring" | "failure" | "refund_to_provider" | "refund_to_subscriber";

/** One movement of money. Amounts are in token units. */
export type StoredPayment = LogCursor & {
  kind: PaymentKind;
  transactionHash: Hex;
  /** Unix seconds. */
  timestamp: number;
  id: Hex;
  /** Of the subscription: its latest description and its terms, `amount` with 18 decimals. */
  description: string | null;
  amount: bigint;
  frequency: number;
  provider: Hex;
  subscriber: Hex;
  token: TokenInfo;
  /** Of a charge: the parts that went to the provider and to the subscriber's fee balance. */
  toProvider: bigint;
  toFeeBalance: bigint;
  /** Of a failure: the whole amount that was due. */
  failed: bigint;
  /** Of a refund: what was paid out of the fee balance. */
  refunded: bigint;
};

export type PaymentQuery = {
  account: Hex;
  /** Which payments: those that the account received as provider, or those on both sides. */
  side: "provider" | "both";
  token?: Hex | undefined;
  subscription?: Hex | undefined;
  /** Day numbers, both ends included, for an index whose newest block is of the day `today`. */
  days: (today: number) => Period;
  first: number;
  after?: LogCursor | undefined;
};

export type PaymentPage = {
  /** Newest first. */
  payments: StoredPayment[];
  /** Where the next page begins; null where there is none. */
  next: LogCursor | null;
  days: Period;
  /** The sums of all the days by token, as provider (`received`) and as subscriber (`paid`); both are empty for `side: "provider"`. */
  received: PeriodMoney[];
  paid: PeriodMoney[];
};

/** The charges, failures and refunds of an account from the event index, newest first, with the sums of all days at the same block. */
export async function readPayments(
  database: Database,
  scope: IndexScope,
  query: PaymentQuery,
): Promise<IndexAnswer<PaymentPage> | NoState> {
  const { account, token, side } = query;
  return readCompleteIndex(database, scope, async (sql, { latest }) => {
    const days = query.days(dayNumber(latest.timestamp));
    const page = await readPage(sql, scope, { ...query, days });
    const sums = { account, token, periods: [days] };
    return {
      ...page,
      days,
      received: side === "both" ? await sumMoney(sql, scope, { ...sums, role: "provider" }) : [],
      paid: side === "both" ? await sumMoney(sql, scope, { ...sums, role: "subscriber" }) : [],
    };
  });
}

type PageQuery = Omit<PaymentQuery, "days"> & { days: Period };

async function readPage(
  sql: TransactionSql,
  scope: IndexScope,
  query: PageQuery,
): Promise<Pick<PaymentPage, "payments" | "next">> {
  const { chainId, contract } = scope;
  const { account, side, token, subscription, days, first, after } = query;
  const range = await blocksOfDays(sql, scope, days);
  // The scan of a database index begins at its bound on block_number: without the cursor's block in the bound, all
  // pages before would be read again.
  const before = after === undefined ? range.before : Math.min(range.before, after.blockNumber + 1);
  const accountBytes = toBytes(account);
  const { ProviderRefund, Unsubscribed } = subLogCode;
  const matching = sql`
    l.chain_id = ${chainId} and l.contract = ${contract} and l.code in ${sql(MONEY_CODES)}
    and l.block_number >= ${range.from} and l.block_number < ${before}
    and (l.code <> ${ProviderRefund} or l.amount > 0)
    and (l.code <> ${Unsubscribed} or (select r.units from removal_refunds r where r.chain_id = l.chain_id
      and r.contract = l.contract and r.block_number = l.block_number and r.log_index = l.log_index) > 0)
    ${token === undefined ? sql`` : sql`and l.token = ${toBytes(token)}`}
    ${after === undefined ? sql`` : sql`and (l.block_number, l.log_index) < (${after.blockNumber}, ${after.logIndex})`}`;
  const newest = sql`order by block_number desc, log_index desc limit ${first + 1}`;
  const of = (condition: PendingQuery<Row[]>) =>
    sql`(select block_number, log_index from sub_logs l where ${matching} and ${condition} ${newest})`;
  // A plan or a token may be rare among the provider's events, so events with such a filter are read plan by plan.
  const ofPlans = sql`
    select page.* from subscriptions s cross join lateral ${of(sql`l.subscription_id = s.id`)} page
    where s.chain_id = ${chainId} and s.contract = ${contract} and s.provider = ${accountBytes}
      ${subscription === undefined ? sql`` : sql`and s.id = ${toBytes(subscription)}`}
      ${token === undefined ? sql`` : sql`and s.token = ${toBytes(token)}`}`;
  const received = token === undefined && subscription === undefined ? of(sql`l.provider = ${accountBytes}`) : ofPlans;
  // Each side has its own limit, so that neither database index is read beyond the page; `union` removes duplicates.
  const found = await sql<LogPlace[]>`
    select block_number, log_index from (
      ${side === "provider" ? received : sql`${received} union ${of(sql`l.subscriber = ${accountBytes}`)}`}) found ${newest}`;
  const places = found.slice(0, first);
  const last = found.length > first ? places.at(-1) : undefined;
  const next = last === undefined ? null : { blockNumber: Number(last.block_number), logIndex: last.log_index };
  if (places.length === 0) return { payments: [], next };
  const rows = await sql<PaymentRow[]>`
    select c.*, s.description, s.amount, s.frequency, t.symbol, t.decimals
    from (${chargesOf(sql, scope, logsOfPlaces(sql, scope, places))}) c
    join subscriptions s on s.chain_id = ${chainId} and s.contract = ${contract} and s.id = c.subscription_id
    left join indexed_tokens t on t.chain_id = ${chainId} and t.contract = ${contract} and t.token = c.token`;
  const byPlace = new Map(rows.map((row) => [`${row.block_number}.${row.log_index}`, row]));
  const payments = places.flatMap(({ block_number, log_index }) => {
    const row = byPlace.get(`${block_number}.${log_index}`);
    return row === undefined ? [] : [toPayment(row)];
  });
  return { payments, next };
}

type PaymentRow = Record<"transaction_hash" | "subscription_id" | "provider" | "subscriber" | "token", Uint8Array> &
  Record<"block_number" | "timestamp" | "amount", string> &
  Record<"failed" | "to_provider" | "to_fee_balance" | "provider_refund" | "removal_refund", string> & {
    log_index: number;
    code: number;
    is_initial: boolean;
    frequency: number;
    description: string | null;
    symbol: string | null;
    decimals: number | null;
  };

function toPayment(row: PaymentRow): StoredPayment {
  const refunded = BigInt(row.provider_refund) + BigInt(row.removal_refund);
  return {
    kind: kindOf(row),
    blockNumber: Number(row.block_number),
    logIndex: row.log_index,
    timestamp: Number(row.timestamp),
    transactionHash: fromBytes(row.transaction_hash),
    id: fromBytes(row.subscription_id),
    description: row.description,
    amount: BigInt(row.amount),
    frequency: row.frequency,
    provider: fromBytes(row.provider),
    subscriber: fromBytes(row.subscriber),
    token: {
      address: getAddress(fromBytes(row.token)),
      // The indexer stores a token with its first event.
      symbol: cleanText(row.symbol ?? "").text,
      decimals: row.decimals ?? 18,
    },
    toProvider: BigInt(row.to_provider),
    toFeeBalance: BigInt(row.to_fee_balance),
    failed: BigInt(row.failed),
    refunded,
  };
}

function kindOf({ code, is_initial }: PaymentRow): PaymentKind {
  if (code === subLogCode.Failed) return "failure";
  if (code === subLogCode.ProviderRefund) return "refund_to_provider";
  if (code === subLogCode.Unsubscribed) return "refund_to_subscriber";
  return is_initial ? "initial" : "recurring";
}

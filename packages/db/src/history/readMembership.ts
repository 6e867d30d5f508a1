import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { toFrequency } from "@dueday/core/calendar/frequency";
import type { LeavingReason, MembershipHistory } from "@dueday/core/entitlement/entitlementOf";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { type IndexAnswer, type NoState, readIndex } from "../eventIndex/readIndex";
import { fromBytes, toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/** What the logs hold about one account and one subscription. `amount` has 18 decimals. */
export type StoredMembership = MembershipHistory & { token: Hex; amount: bigint; tokenDecimals: number };

/** The history of an account in a subscription, as of one block; `value` is null if the subscription was never created. */
export async function readMembership(
  database: Database,
  scope: ContractScope,
  { id, subscriber, atBlock = null }: { id: Hex; subscriber: Hex; atBlock?: number | null },
): Promise<IndexAnswer<StoredMembership | null> | NoState> {
  const { chainId, contract } = scope;
  const { Subscribed, Unsubscribed, FeeFill, SubscriberPaid } = subLogCode;
  return readIndex(database, scope, atBlock, async (sql, { block }) => {
    const ours = sql`chain_id = ${chainId} and contract = ${contract}`;
    const latest = (codes: readonly (number | undefined)[]) => sql`
      select block_number, log_index, code, timestamp from sub_logs
      where ${ours} and subscriber = ${toBytes(subscriber)} and subscription_id = ${toBytes(id)}
        and block_number <= ${block.number} and code = any(${codes.map(Number)}::smallint[])
      order by block_number desc, log_index desc limit 1`;
    const [row] = await sql<MembershipRow[]>`
      select s.token, s.amount, s.frequency, s.due_day, coalesce(s.cancelled_block <= ${block.number}, false) as cancelled, t.decimals,
        change.code as changed_code, change.timestamp as changed_at,
        (select l.code from sub_logs l where l.chain_id = ${chainId} and l.contract = ${contract}
          and l.block_number = change.block_number and l.log_index = change.log_index + 1
          and l.subscription_id = s.id and l.subscriber = ${toBytes(subscriber)}) as code_after,
        joined.timestamp as joined_at, paid.timestamp as paid_at,
        (select c.next_unchecked_day from coordinates_logs c where c.chain_id = ${chainId} and c.contract = ${contract}
          and c.block_number = paid.block_number and c.log_index = paid.log_index - 1 and c.subscription_id = s.id) as paid_day
      from subscriptions s
        left join indexed_tokens t on t.chain_id = s.chain_id and t.contract = s.contract and t.token = s.token
        left join lateral (${latest([Subscribed, Unsubscribed])}) change on true
        left join lateral (${latest([Subscribed])}) joined on true
        left join lateral (${latest([FeeFill, SubscriberPaid])}) paid on true
      where s.chain_id = ${chainId} and s.contract = ${contract} and s.id = ${toBytes(id)}
        and s.created_block <= ${block.number}`;
    return row === undefined ? null : toMembership(row);
  });
}

type MembershipRow = {
  token: Uint8Array;
  amount: string;
  frequency: number;
  due_day: number;
  cancelled: boolean;
  decimals: number | null;
  /** Null where the account has no such log. */
  changed_code: number | null;
  changed_at: string | null;
  code_after: number | null;
  joined_at: string | null;
  paid_at: string | null;
  /** Null for an initial charge, and where there is no charge. */
  paid_day: string | null;
};

function toMembership(row: MembershipRow): StoredMembership {
  const { joined_at, paid_at, paid_day, changed_code } = row;
  const hasLeft = joined_at !== null && changed_code === subLogCode.Unsubscribed;
  return {
    token: fromBytes(row.token),
    amount: BigInt(row.amount),
    tokenDecimals: row.decimals ?? 18,
    frequency: toFrequency(row.frequency),
    dueDay: row.due_day,
    cancelled: row.cancelled,
    subscribedAt: joined_at === null ? null : Number(joined_at),
    left: hasLeft ? reasonOf(row.code_after) : null,
    lastPayment:
      joined_at === null || paid_at === null
        ? null
        : {
            timestamp: Number(paid_at),
            day: paid_day === null ? dayNumber(Number(paid_at)) : Number(paid_day),
            kind: paid_day === null ? "initial" : "recurring",
          },
  };
}

/** The log after UNSUBSCRIBED names the reason (docs/events.md). */
function reasonOf(codeAfter: number | null): LeavingReason {
  if (codeAfter === subLogCode.Failed) return "failure";
  if (codeAfter === subLogCode.ProviderRefund) return "subscriber";
  return codeAfter === subLogCode.SubscriberRefund ? "cancellation" : "provider";
}

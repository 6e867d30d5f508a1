import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { TransactionSql } from "postgres";
import type { BlockRange } from "../eventIndex/indexedLog";
import type { ContractScope } from "../schema/columns";
import { FAILING, FAILS } from "./recordFailing";

/**
 * Records the charges of a range that passed although they had been announced as failing: nothing was charged, and the account
 * neither left nor came back, between the announcement and the charge. For the transaction that stores the logs of the range, after
 * they are copied.
 */
export async function recordRecovered(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  { from, to }: BlockRange,
): Promise<void> {
  const { FeeFill, SubscriberPaid, Subscribed, Unsubscribed } = subLogCode;
  await sql`
    insert into recovered_payments (chain_id, contract, block_number, log_index, provider, subscription_id, token, day)
    select distinct l.chain_id, l.contract, l.block_number, l.log_index, l.provider, l.subscription_id, l.token,
      l.timestamp / ${DAY_SECONDS}
    from sub_logs l join outbox_states o on o.chain_id = l.chain_id and o.contract = l.contract
      and o.subject = ${FAILING} || '0x' || encode(l.subscription_id, 'hex') || ' 0x' || encode(l.subscriber, 'hex')
    where l.chain_id = ${chainId} and l.contract = ${contract} and l.block_number between ${from} and ${to}
      and l.code in (${SubscriberPaid}, ${FeeFill}) and starts_with(o.state, ${FAILS}) and o.block_number < l.block_number
      and not exists (select from sub_logs p where p.chain_id = l.chain_id and p.contract = l.contract
        and p.subscriber = l.subscriber and p.subscription_id = l.subscription_id
        and p.code in (${SubscriberPaid}, ${FeeFill}, ${Subscribed}, ${Unsubscribed})
        and p.block_number > o.block_number and (p.block_number, p.log_index) < (l.block_number, l.log_index))
    on conflict do nothing`;
}

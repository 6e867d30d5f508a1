import { subLogCode } from "@dueday/core/events/subLogEvents";
import { FILL_PARTS } from "@dueday/core/remit/chargeTerms";
import type { PendingQuery, Row, TransactionSql } from "postgres";
import type { ContractScope } from "../schema/columns";

/** Codes of the logs that are a charge, a failure or a refund; of UNSUBSCRIBED only some are. */
export const MONEY_CODES = [
  subLogCode.Failed,
  subLogCode.ProviderRefund,
  subLogCode.SubscriberPaid,
  subLogCode.Unsubscribed,
  subLogCode.FeeFill,
] as const;

/** The rows of one of the two tables whose logs make a charge. */
export type LogsOf = (table: "sub_logs" | "coordinates_logs") => PendingQuery<Row[]>;

/** The logs of whole blocks. @param which condition on `block_number` */
export function logsOfBlocks(sql: TransactionSql, scope: ContractScope, which: PendingQuery<Row[]>): LogsOf {
  return (table) => sql`
    select * from ${sql(table)} where chain_id = ${scope.chainId} and contract = ${scope.contract} and ${which}`;
}

/**
 * The charges, failures and refunds among some logs, one row for each, in token units. The statement reads the patterns of
 * `core/domainEvents/logPatterns.ts` in SQL: a charge begins with SUBPAID or FEEFILL, and PROVPAID is the next log where the provider receives
 * something. Each part is a separate transfer and is converted to token units separately, as the contract does.
 *
 * @param logsOf the logs, each with the logs directly before and after it, without which it would be misread
 */
export function chargesOf(sql: TransactionSql, { chainId, contract }: ContractScope, logsOf: LogsOf) {
  const { ProviderPaid, Failed, ProviderRefund, SubscriberPaid, Subscribed, Unsubscribed, FeeFill } = subLogCode;
  // Stands in for the code of Coordinates, which names the frequency of the charge after it.
  const coordinates = -1;
  const units = (amount: PendingQuery<Row[]>) =>
    sql`(case when decimals <= 18 then div(${amount}, scale) else ${amount} * scale end)`;
  return sql`
    with tokens as materialized (
      select token, decimals, ('1e' || abs(18 - decimals))::numeric as scale from indexed_tokens
      where chain_id = ${chainId} and contract = ${contract}
    ), logs as (
      select block_number, log_index, transaction_hash, subscription_id, provider, subscriber, token, timestamp, amount,
        code from (${logsOf("sub_logs")}) l
      union all
      select block_number, log_index, transaction_hash, subscription_id, null, null, null, null, frequency,
        ${coordinates}::smallint from (${logsOf("coordinates_logs")}) c
    ), placed as (
      select logs.*, lag(code) over neighbours as code_before, lag(amount) over neighbours as amount_before,
        lag(subscription_id) over neighbours as id_before, lag(subscriber) over neighbours as subscriber_before,
        lead(code) over neighbours as code_after, lead(amount) over neighbours as amount_after,
        lead(subscription_id) over neighbours as id_after, lead(subscriber) over neighbours as subscriber_after
      from logs window neighbours as (partition by block_number, transaction_hash order by log_index)
    ), read as (
      select p.*, coalesce(k.decimals, 18) as decimals, coalesce(k.scale, 1) as scale, r.units as removal_refund,
        case when id_before = subscription_id and subscriber_before = subscriber then code_before end as own_before,
        case when id_after = subscription_id and subscriber_after = subscriber and code_after = ${ProviderPaid}
          then amount_after else 0 end as rest,
        coalesce(case when code_before = ${coordinates} and id_before = subscription_id then amount_before end,
          t.frequency) as frequency
      from placed p
      left join subscription_terms t on t.chain_id = ${chainId} and t.contract = ${contract} and t.id = p.subscription_id
      left join tokens k on k.token = p.token
      left join removal_refunds r on r.chain_id = ${chainId} and r.contract = ${contract}
        and r.block_number = p.block_number and r.log_index = p.log_index
      where code in ${sql(MONEY_CODES)}
    ), amounts as (
      select *,
        case when code = ${SubscriberPaid} then amount when code = ${FeeFill} then rest else 0 end as to_provider,
        case when code <> ${FeeFill} then 0 when own_before = ${Subscribed} then amount
          else div(amount, case frequency ${partsOf(sql)} end) end as to_fee_balance,
        case when code = ${Failed} and own_before = ${Unsubscribed} then amount_before else 0 end as due,
        case when code = ${ProviderRefund} then amount else 0 end as provider_refund
      from read
    )
    select block_number, log_index, transaction_hash, subscription_id, provider, subscriber, token, timestamp, code,
      (code = ${FeeFill} and own_before is not distinct from ${Subscribed}) as is_initial, ${units(sql`due`)} as failed,
      ${units(sql`to_provider`)} as to_provider, ${units(sql`to_fee_balance`)} as to_fee_balance,
      ${units(sql`provider_refund`)} as provider_refund, coalesce(removal_refund, 0) as removal_refund,
      (code in (${SubscriberPaid}, ${FeeFill}))::int as charges, (code = ${Failed})::int as failures
    -- The top-up of a subscription whose frequency is not known can't be read.
    from amounts where to_fee_balance is not null`;
}

/** The log of a recurring charge that tops up the fee balance has the whole amount; the part that goes there depends on the frequency. */
function partsOf(sql: TransactionSql) {
  return FILL_PARTS.map((parts, frequency) => sql`when ${frequency} then ${parts.toString()}::numeric`).reduce(
    (all, each) => sql`${all} ${each}`,
  );
}

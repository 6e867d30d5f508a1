import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { PendingQuery, Row, TransactionSql } from "postgres";
import type { ContractScope } from "../schema/columns";
import { chargesOf, logsOfBlocks } from "./chargesOf";
import type { BlockRange } from "./indexedLog";
import { monthOf } from "./monthOf";

/**
 * The statements that add the charges, failures and refunds of a range of blocks to `daily_money`, `provider_days`, `plan_days` and
 * `cohort_months`, and write the rows of the range in `remits`. They read `memberships` as they are after the range.
 */
export function deriveMoney(sql: TransactionSql, scope: ContractScope, range: BlockRange): PendingQuery<Row[]>[] {
  const { chainId, contract } = scope;
  const money = sql`
    with ${chargedWith(sql, scope, range)},
    by_account as (
      insert into daily_money (chain_id, contract, account, role, day, token, paid, failed, refunded, charges, failures)
      select ${chainId}::bigint, ${contract}, account, role, day, token, paid, failed, refunded, charges, failures
      from (${accountSums(sql)}) found
      on conflict (chain_id, contract, account, role, day, token) do update set paid = daily_money.paid + excluded.paid,
        failed = daily_money.failed + excluded.failed, refunded = daily_money.refunded + excluded.refunded,
        charges = daily_money.charges + excluded.charges, failures = daily_money.failures + excluded.failures
    ), by_provider as (
      insert into provider_days (chain_id, contract, provider, token, day, charges, failures, charged, net)
      select ${chainId}::bigint, ${contract}, provider, token, day, charges, failures, charged, net
      from (${daySums(sql, "token")}) found
      on conflict (chain_id, contract, provider, token, day) do update set
        charges = provider_days.charges + excluded.charges, failures = provider_days.failures + excluded.failures,
        charged = provider_days.charged + excluded.charged, net = provider_days.net + excluded.net
    ), by_plan as (
      insert into plan_days (chain_id, contract, provider, subscription_id, day, charges, failures, charged, net)
      select ${chainId}::bigint, ${contract}, provider, subscription_id, day, charges, failures, charged, net
      from (${daySums(sql, "subscription_id")}) found
      on conflict (chain_id, contract, provider, subscription_id, day) do update set
        charges = plan_days.charges + excluded.charges, failures = plan_days.failures + excluded.failures,
        charged = plan_days.charged + excluded.charged, net = plan_days.net + excluded.net
    )
    insert into cohort_months (chain_id, contract, provider, token, cohort, month, charges, charged)
    select ${chainId}::bigint, ${contract}, provider, token, cohort, month, charges, charged
    from (${cohortSums(sql, scope)}) found
    on conflict (chain_id, contract, provider, token, cohort, month) do update set
      charges = cohort_months.charges + excluded.charges, charged = cohort_months.charged + excluded.charged`;
  return [money, deriveRemits(sql, scope, range)];
}

/**
 * Subtracts the logs above a block from what `deriveMoney` wrote. The logs, what was read of their receipts, and the memberships as they
 * are after the logs must still be stored.
 */
export async function underiveMoney(sql: TransactionSql, scope: ContractScope, block: number): Promise<void> {
  const { chainId, contract } = scope;
  const ours = sql`chain_id = ${chainId} and contract = ${contract}`;
  const ofContract = (table: string) =>
    sql`${sql(table)}.chain_id = ${chainId} and ${sql(table)}.contract = ${contract}`;
  await sql`
    with ${chargedWith(sql, scope, { from: block + 1, to: Number.MAX_SAFE_INTEGER })},
    of_accounts as materialized (${accountSums(sql)}),
    of_providers as materialized (${daySums(sql, "token")}), of_plans as materialized (${daySums(sql, "subscription_id")}),
    of_cohorts as materialized (${cohortSums(sql, scope)}),
    by_account as (
      update daily_money m set paid = m.paid - found.paid, failed = m.failed - found.failed,
        refunded = m.refunded - found.refunded, charges = m.charges - found.charges, failures = m.failures - found.failures
      from of_accounts found where ${ofContract("m")} and m.account = found.account and m.role = found.role
        and m.day = found.day and m.token = found.token
    ), by_provider as (
      update provider_days p set charges = p.charges - found.charges, failures = p.failures - found.failures,
        charged = p.charged - found.charged, net = p.net - found.net
      from of_providers found where ${ofContract("p")} and p.provider = found.provider and p.token = found.token
        and p.day = found.day
    ), by_plan as (
      update plan_days p set charges = p.charges - found.charges, failures = p.failures - found.failures,
        charged = p.charged - found.charged, net = p.net - found.net
      from of_plans found where ${ofContract("p")} and p.provider = found.provider
        and p.subscription_id = found.subscription_id and p.day = found.day
    )
    update cohort_months c set charges = c.charges - found.charges, charged = c.charged - found.charged
    from of_cohorts found where ${ofContract("c")} and c.provider = found.provider and c.token = found.token
      and c.cohort = found.cohort and c.month = found.month`;
  await sql`delete from daily_money where ${ours} and charges = 0 and failures = 0 and refunded = 0`;
  await sql`delete from remits where ${ours} and block_number > ${block}`;
}

/**
 * The charges, failures and refunds of a range as `charged`, for the sums below. `materialized`, because each sum would otherwise repeat
 * the work.
 */
function chargedWith(sql: TransactionSql, scope: ContractScope, { from, to }: BlockRange) {
  return sql`charged as materialized (
    select *, timestamp / ${DAY_SECONDS} as day from (
      ${chargesOf(sql, scope, logsOfBlocks(sql, scope, sql`block_number between ${from} and ${to}`))}) of_range
  )`;
}

/** What `charged` adds to `daily_money`. Tests compare the sums with the transfers of the recorded scenarios. */
function accountSums(sql: TransactionSql) {
  return sql`
    select account, role, day, token, sum(paid) as paid, sum(failed) as failed, sum(refunded) as refunded,
      sum(charges) as charges, sum(failures) as failures
    from (
      select provider as account, 0 as role, day, token, to_provider as paid, failed, provider_refund as refunded,
        charges, failures from charged
      union all
      select subscriber, 1, day, token, to_provider + to_fee_balance, failed, removal_refund, charges, failures
      from charged
    ) sides group by account, role, day, token
    having sum(charges) > 0 or sum(failures) > 0 or sum(refunded) > 0`;
}

/** What `charged` adds to `provider_days`, by token, or to `plan_days`, by subscription. */
function daySums(sql: TransactionSql, by: "token" | "subscription_id") {
  return sql`
    select provider, ${sql(by)}, day, sum(charges) as charges, sum(failures) as failures,
      sum(to_provider + to_fee_balance) as charged, sum(to_provider + provider_refund) as net
    from charged group by provider, ${sql(by)}, day
    having sum(charges) > 0 or sum(failures) > 0 or sum(provider_refund) > 0`;
}

/** What `charged` adds to `cohort_months`. */
function cohortSums(sql: TransactionSql, { chainId, contract }: ContractScope) {
  return sql`
    select provider, token, ${monthOf(sql, sql`joined_day`)} as cohort, ${monthOf(sql, sql`day`)} as month,
      sum(charges) as charges, sum(to_provider + to_fee_balance) as charged
    from charged join memberships m using (subscription_id, subscriber)
    where m.chain_id = ${chainId} and m.contract = ${contract} and charges > 0 and m.joined_block <= block_number
    group by provider, token, cohort, month`;
}

function deriveRemits(sql: TransactionSql, { chainId, contract }: ContractScope, { from, to }: BlockRange) {
  const inRange = sql`chain_id = ${chainId} and contract = ${contract} and block_number between ${from} and ${to}`;
  return sql`
    with called as materialized (
      select block_number, transaction_hash, max(log_index) as log_index, max(timestamp) as timestamp,
        (array_agg(caller order by log_index desc))[1] as keeper,
        (array_agg(checked_day order by log_index desc))[1] as last_day,
        coalesce(array_agg(checked_day order by log_index) filter (where is_finished), '{}') as closed_days
      from caller_logs where ${inRange} group by block_number, transaction_hash
    ), handled as materialized (
      select block_number, transaction_hash, count(*) as payments, min(next_unchecked_day) as oldest_day
      from coordinates_logs where ${inRange} group by block_number, transaction_hash
    ), failed as materialized (
      select block_number, transaction_hash, count(*) as failures
      from sub_logs where ${inRange} and code = ${subLogCode.Failed} group by block_number, transaction_hash
    )
    insert into remits (chain_id, contract, block_number, log_index, transaction_hash, timestamp, keeper, closed_days,
      payments, failures, lag_seconds)
    select ${chainId}::bigint, ${contract}, block_number, log_index, transaction_hash, timestamp, keeper, closed_days,
      coalesce(payments, 0), coalesce(failures, 0),
      greatest(0, timestamp - coalesce(oldest_day, last_day) * ${DAY_SECONDS}::bigint)
    from called left join handled using (block_number, transaction_hash) left join failed using (block_number, transaction_hash)`;
}

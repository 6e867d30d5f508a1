import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { PendingQuery, Row, TransactionSql } from "postgres";
import type { ContractScope } from "../schema/columns";
import type { BlockRange } from "./indexedLog";
import { monthlyTwelfths } from "./monthlyTwelfths";
import { monthOf } from "./monthOf";

/**
 * The statement that applies SUBSCRIBED, UNSUBSCRIBED and CANCEL of a range of blocks: to `memberships`, the active subscribers of
 * `subscriptions`, and the movements of `provider_days`, `plan_days` and `cohort_months`. The subscriptions that the range creates must already
 * be in `subscriptions`.
 */
export function deriveMemberships(sql: TransactionSql, scope: ContractScope, range: BlockRange): PendingQuery<Row[]> {
  const { chainId, contract } = scope;
  // The count of active subscribers follows changes of state, not events: the contract also emits an event when an
  // account that never subscribed unsubscribes.
  return sql`
    with ${movementsWith(sql, scope, range)},
    by_provider as (
      insert into provider_days (chain_id, contract, provider, token, day, joined, reactivated, "left", failed, removed,
        mrr_joined, mrr_reactivated, mrr_left, mrr_failed, mrr_removed)
      select ${chainId}::bigint, ${contract}, provider, token, day, joined, reactivated, "left", failed, removed,
        mrr_joined, mrr_reactivated, mrr_left, mrr_failed, mrr_removed
      from (${providerSums(sql)}) found
      on conflict (chain_id, contract, provider, token, day) do update set
        joined = provider_days.joined + excluded.joined, reactivated = provider_days.reactivated + excluded.reactivated,
        "left" = provider_days.left + excluded.left, failed = provider_days.failed + excluded.failed,
        removed = provider_days.removed + excluded.removed, mrr_joined = provider_days.mrr_joined + excluded.mrr_joined,
        mrr_reactivated = provider_days.mrr_reactivated + excluded.mrr_reactivated,
        mrr_left = provider_days.mrr_left + excluded.mrr_left, mrr_failed = provider_days.mrr_failed + excluded.mrr_failed,
        mrr_removed = provider_days.mrr_removed + excluded.mrr_removed
    ), by_plan as (
      insert into plan_days (chain_id, contract, provider, subscription_id, day, joined, reactivated, "left", failed, removed)
      select ${chainId}::bigint, ${contract}, provider, subscription_id, day, joined, reactivated, "left", failed, removed
      from (${planSums(sql)}) found
      on conflict (chain_id, contract, provider, subscription_id, day) do update set
        joined = plan_days.joined + excluded.joined, reactivated = plan_days.reactivated + excluded.reactivated,
        "left" = plan_days.left + excluded.left, failed = plan_days.failed + excluded.failed,
        removed = plan_days.removed + excluded.removed
    ), by_cohort as (
      insert into cohort_months (chain_id, contract, provider, token, cohort, month, joined, active_change)
      select ${chainId}::bigint, ${contract}, provider, token, cohort, month, joined, active_change
      from (${cohortSums(sql)}) found
      on conflict (chain_id, contract, provider, token, cohort, month) do update set
        joined = cohort_months.joined + excluded.joined,
        active_change = cohort_months.active_change + excluded.active_change
    ), latest as materialized (
      select distinct on (subscription_id, subscriber) subscription_id, subscriber, active, block_number,
        min(case when active then block_number end) over own as joined_block,
        min(case when active then day end) over own as joined_day
      from changes window own as (partition by subscription_id, subscriber)
      order by subscription_id, subscriber, block_number desc, log_index desc
    ), written as (
      insert into memberships (chain_id, contract, subscription_id, subscriber, active, changed_block, joined_block, joined_day)
      select ${chainId}::bigint, ${contract}, subscription_id, subscriber, active, block_number, joined_block, joined_day
      from latest
      on conflict (chain_id, contract, subscription_id, subscriber)
      do update set active = excluded.active, changed_block = excluded.changed_block,
        joined_block = coalesce(memberships.joined_block, excluded.joined_block),
        joined_day = coalesce(memberships.joined_day, excluded.joined_day)
    ), change as materialized (
      select subscription_id, sum(l.active::int - coalesce(k.active, false)::int) as sum
      from latest l left join known k using (subscription_id, subscriber) group by subscription_id
    )
    update subscriptions s set active_subscribers = s.active_subscribers + change.sum from change
    where s.chain_id = ${chainId} and s.contract = ${contract} and s.id = change.subscription_id and change.sum <> 0`;
}

/**
 * Subtracts the logs above a block from the movements. The logs and their subscriptions must still be stored, and
 * `memberships` must be as it was at the block.
 */
export async function underiveMovements(sql: TransactionSql, scope: ContractScope, block: number): Promise<void> {
  const { chainId, contract } = scope;
  const ours = sql`chain_id = ${chainId} and contract = ${contract}`;
  await sql`
    with ${movementsWith(sql, scope, { from: block + 1, to: Number.MAX_SAFE_INTEGER })},
    of_providers as materialized (${providerSums(sql)}), of_plans as materialized (${planSums(sql)}),
    of_cohorts as materialized (${cohortSums(sql)}),
    by_provider as (
      update provider_days p set joined = p.joined - found.joined, reactivated = p.reactivated - found.reactivated,
        "left" = p.left - found.left, failed = p.failed - found.failed, removed = p.removed - found.removed,
        mrr_joined = p.mrr_joined - found.mrr_joined, mrr_reactivated = p.mrr_reactivated - found.mrr_reactivated,
        mrr_left = p.mrr_left - found.mrr_left, mrr_failed = p.mrr_failed - found.mrr_failed,
        mrr_removed = p.mrr_removed - found.mrr_removed
      from of_providers found where p.chain_id = ${chainId} and p.contract = ${contract} and p.provider = found.provider
        and p.token = found.token and p.day = found.day
    ),
    by_plan as (
      update plan_days p set joined = p.joined - found.joined, reactivated = p.reactivated - found.reactivated,
        "left" = p.left - found.left, failed = p.failed - found.failed, removed = p.removed - found.removed
      from of_plans found where p.chain_id = ${chainId} and p.contract = ${contract} and p.provider = found.provider
        and p.subscription_id = found.subscription_id and p.day = found.day
    )
    update cohort_months c set joined = c.joined - found.joined, active_change = c.active_change - found.active_change
    from of_cohorts found where c.chain_id = ${chainId} and c.contract = ${contract} and c.provider = found.provider
      and c.token = found.token and c.cohort = found.cohort and c.month = found.month`;
  for (const table of ["provider_days", "plan_days"]) {
    await sql`delete from ${sql(table)} where ${ours} and joined = 0 and reactivated = 0 and "left" = 0 and failed = 0
      and removed = 0 and charges = 0 and failures = 0 and net = 0`;
  }
  await sql`delete from cohort_months where ${ours} and joined = 0 and active_change = 0 and charges = 0`;
}

/**
 * The memberships that began or ended, in order, as `movements`. The log directly after an UNSUBSCRIBED names the reason why the
 * membership ended (docs/events.md). A subscription that is cancelled ends its memberships, although the contract keeps their
 * subscribers until a janitor removes them.
 */
function movementsWith(sql: TransactionSql, { chainId, contract }: ContractScope, { from, to }: BlockRange) {
  const { Cancel, Failed, ProviderRefund, Subscribed, Unsubscribed } = subLogCode;
  const ofContract = (table: string) =>
    sql`${sql(table)}.chain_id = ${chainId} and ${sql(table)}.contract = ${contract}`;
  const inRange = sql`${ofContract("l")} and l.block_number between ${from} and ${to}`;
  // `materialized`: the planner has no statistics of new rows and would repeat the subquery for each row.
  return sql`
    reasons as materialized (
      select subscription_id, subscriber, block_number, log_index - 1 as log_index, code
      from sub_logs l where ${inRange} and code in (${Failed}, ${ProviderRefund})
    ), changes as materialized (
      select subscription_id, subscriber, l.provider, l.token, block_number, log_index, l.timestamp / ${DAY_SECONDS} as day,
        l.code = ${Subscribed} as active,
        case when l.code = ${Subscribed} then null when r.code = ${Failed} then 'failed'
          when r.code = ${ProviderRefund} then 'left' else 'removed' end as reason
      from sub_logs l left join reasons r using (subscription_id, subscriber, block_number, log_index)
      where ${inRange} and l.code in (${Subscribed}, ${Unsubscribed})
    ), cancelled as materialized (
      select distinct on (subscription_id) subscription_id, provider, token, block_number, log_index, timestamp / ${DAY_SECONDS} as day
      from sub_logs l where ${inRange} and code = ${Cancel} order by subscription_id, block_number, log_index
    ), steps as materialized (
      select c.subscription_id, c.subscriber, c.provider, c.token, c.block_number, c.log_index, c.day,
        c.active and s.id is null and (c.block_number, c.log_index) < (x.block_number, x.log_index) is not false as active, c.reason
      from changes c left join cancelled x using (subscription_id)
      left join subscriptions s on ${ofContract("s")} and s.id = c.subscription_id and s.cancelled_block < ${from}
      union all
      select x.subscription_id, e.subscriber, x.provider, x.token, x.block_number, x.log_index, x.day, false, 'removed'
      from cancelled x join (
        select m.subscription_id, m.subscriber from memberships m join cancelled using (subscription_id)
        where ${ofContract("m")} and m.active
        union select subscription_id, subscriber from changes
      ) e using (subscription_id)
    ), known as materialized (
      select subscription_id, subscriber, m.joined_day, m.active, m.active and s.id is null as was_active
      from (select distinct subscription_id, subscriber from steps) touched
      join memberships m using (subscription_id, subscriber)
      left join subscriptions s on ${ofContract("s")} and s.id = subscription_id and s.cancelled_block < ${from}
      where ${ofContract("m")}
    ), ordered as (
      select s.*, k.joined_day, coalesce(lag(s.active) over own, k.was_active, false) as was_active,
        coalesce(k.joined_day, min(case when s.active then s.day end) over own) as cohort_day,
        k.joined_day is null and count(*) filter (where s.active) over own = 1 as is_first
      from steps s left join known k using (subscription_id, subscriber)
      window own as (partition by subscription_id, subscriber order by s.block_number, s.log_index)
    ), movements as materialized (
      select o.subscription_id, o.provider, o.token, o.day, o.cohort_day, o.active,
        case when not o.active then reason when is_first then 'joined' else 'reactivated' end as kind,
        coalesce(${monthlyTwelfths(sql, { amount: sql`p.amount`, frequency: sql`p.frequency`, decimals: sql`t.decimals` })}, 0) as mrr
      from ordered o
      left join subscriptions p on ${ofContract("p")} and p.id = o.subscription_id and p.created_block <= o.block_number
      left join indexed_tokens t on ${ofContract("t")} and t.token = o.token
      where o.active <> o.was_active
    )`;
}

/** The numbers of `movements` by kind. */
function counts(sql: TransactionSql) {
  const countOf = (kind: string) => sql`count(*) filter (where kind = ${kind})`;
  return sql`${countOf("joined")} as joined, ${countOf("reactivated")} as reactivated, ${countOf("left")} as "left",
    ${countOf("failed")} as failed, ${countOf("removed")} as removed`;
}

/** What `movements` adds to `provider_days`. */
function providerSums(sql: TransactionSql) {
  const revenueOf = (kind: string) => sql`coalesce(sum(mrr) filter (where kind = ${kind}), 0)`;
  return sql`
    select provider, token, day, ${counts(sql)}, ${revenueOf("joined")} as mrr_joined, ${revenueOf("reactivated")} as mrr_reactivated, ${revenueOf("left")} as mrr_left,
      ${revenueOf("failed")} as mrr_failed, ${revenueOf("removed")} as mrr_removed
    from movements group by provider, token, day`;
}

/** What `movements` adds to `plan_days`. */
function planSums(sql: TransactionSql) {
  return sql`
    select provider, subscription_id, day, ${counts(sql)}
    from movements group by provider, subscription_id, day`;
}

/** What `movements` adds to `cohort_months`. */
function cohortSums(sql: TransactionSql) {
  return sql`
    select provider, token, ${monthOf(sql, sql`cohort_day`)} as cohort, ${monthOf(sql, sql`day`)} as month,
      count(*) filter (where kind = 'joined') as joined,
      sum(case when active then 1 else -1 end) as active_change
    from movements group by provider, token, cohort, month`;
}

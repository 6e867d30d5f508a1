import type { TransactionSql } from "postgres";
import type { ContractScope } from "../schema/columns";
import { underiveMovements } from "./deriveMemberships";
import { underiveMoney } from "./deriveMoney";

/**
 * Reverts the derived tables to a block. The logs above it must still be stored: they are subtracted from the counters, and
 * what they replaced is read again from the logs below.
 */
export async function underiveAbove(sql: TransactionSql, scope: ContractScope, block: number): Promise<void> {
  const { chainId, contract } = scope;
  const ours = sql`chain_id = ${chainId} and contract = ${contract}`;
  const above = sql`${ours} and block_number > ${block}`;
  const below = sql`${ours} and block_number <= ${block}`;

  await underiveMoney(sql, scope, block);
  await sql`
    update activity_counters c set count = c.count - found.count
    from (select account, role, code, count(*) as count from (
      select provider as account, 0 as role, code from sub_logs where ${above}
      union all select subscriber, 1, code from sub_logs where ${above}
      union all select provider, 2, code from sub_logs where ${above} and provider = subscriber
    ) gone group by account, role, code) found
    where c.chain_id = ${chainId} and c.contract = ${contract}
      and c.account = found.account and c.role = found.role and c.code = found.code`;
  await sql`delete from activity_counters where ${ours} and count = 0`;

  await sql`
    with touched as (
      select subscription_id, subscriber, m.active as was_active from memberships m
      where ${ours} and changed_block > ${block}
    ), state as (
      select touched.*, latest.code = 6 as active, latest.block_number from touched left join lateral (
        select code, block_number from sub_logs l where ${below} and l.code in (6, 7)
          and l.subscription_id = touched.subscription_id and l.subscriber = touched.subscriber
        order by block_number desc, log_index desc limit 1) latest on true
    ), dropped as (
      delete from memberships m using state where m.chain_id = ${chainId} and m.contract = ${contract}
        and m.subscription_id = state.subscription_id and m.subscriber = state.subscriber and state.active is null
    ), restored as (
      update memberships m set active = state.active, changed_block = state.block_number,
        joined_block = case when m.joined_block <= ${block} then m.joined_block end,
        joined_day = case when m.joined_block <= ${block} then m.joined_day end
      from state
      where m.chain_id = ${chainId} and m.contract = ${contract}
        and m.subscription_id = state.subscription_id and m.subscriber = state.subscriber and state.active is not null
    ), change as materialized (
      select subscription_id, sum(coalesce(active, false)::int - was_active::int) as sum from state
      group by subscription_id
    )
    update subscriptions s set active_subscribers = s.active_subscribers + change.sum from change
    where s.chain_id = ${chainId} and s.contract = ${contract} and s.id = change.subscription_id`;

  await underiveMovements(sql, scope, block);

  await sql`delete from subscriptions where ${ours} and created_block > ${block}`;
  await sql`
    update subscriptions s set log_count = s.log_count - found.count,
      cancelled_block = case when s.cancelled_block > ${block} then null else s.cancelled_block end
    from (select subscription_id, count(*) as count from sub_logs where ${above} group by subscription_id) found
    where s.chain_id = ${chainId} and s.contract = ${contract} and s.id = found.subscription_id`;
  await sql`
    update subscriptions s set url = latest.url, description = latest.description,
      details_truncated = latest.truncated
    from (select distinct subscription_id from details_logs where ${above}) touched left join lateral (
      select * from details_logs l where ${below} and l.subscription_id = touched.subscription_id
      order by block_number desc, log_index desc limit 1) latest on true
    where s.chain_id = ${chainId} and s.contract = ${contract} and s.id = touched.subscription_id`;

  await sql`delete from provider_profiles where ${ours} and updated_block > ${block}`;
  await sql`
    insert into provider_profiles (chain_id, contract, provider, description, company, url, domain, email, misc,
      truncated, updated_block, timestamp)
    select distinct on (provider) chain_id, contract, provider, description, company, url, domain, email, misc,
      truncated, block_number, timestamp
    from provider_details_logs where ${below} and provider in (select provider from provider_details_logs where ${above})
    order by provider, block_number desc, log_index desc`;
}

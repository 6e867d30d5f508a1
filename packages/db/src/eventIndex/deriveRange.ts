import type { TransactionSql } from "postgres";
import type { ContractScope } from "../schema/columns";
import { deriveMemberships } from "./deriveMemberships";
import { deriveMoney } from "./deriveMoney";
import type { BlockRange } from "./indexedLog";

/**
 * Version of what the derived tables hold. It goes up when a table is added or filled in another way. The worker then reads what an
 * older index lacks and rebuilds the tables; until then, queries of the new tables return `not_indexed`.
 */
export const DERIVED_VERSION = 3;

/** Names of the tables that are derived from the logs, and from what was read of receipts. */
export const derivedTables: readonly string[] = [
  "subscriptions",
  "memberships",
  "activity_counters",
  "provider_profiles",
  "daily_money",
  "provider_days",
  "plan_days",
  "cohort_months",
  "remits",
];

/**
 * Applies the stored logs of a range to the derived tables. The range must follow all ranges applied before: counters are
 * increased, and the last event wins.
 */
export async function deriveRange(sql: TransactionSql, scope: ContractScope, range: BlockRange): Promise<void> {
  const { chainId, contract } = scope;
  const { from, to } = range;
  const inRange = sql`chain_id = ${chainId} and contract = ${contract} and block_number between ${from} and ${to}`;
  // `materialized` in the statements below: the planner has no statistics of new rows and would repeat the subquery for each
  // row.
  const ofContract = sql`s.chain_id = ${chainId} and s.contract = ${contract}`;

  // Sent together, in this order: the server need not wait between them for this process, which may be busy decoding.
  await Promise.all([
    sql`
      insert into subscriptions (chain_id, contract, id, created_block, created_log_index, provider, token, amount,
        frequency, due_day)
      select chain_id, contract, subscription_id, block_number, log_index, provider, token, amount, frequency, due_day
      from (select * from sub_logs where ${inRange} and code = 0) created
      join (select id as subscription_id, frequency, due_day from subscription_terms
        where chain_id = ${chainId} and contract = ${contract}) terms using (subscription_id)`,

    sql`
      with found as materialized (
        select subscription_id, count(*) as count, min(block_number) filter (where code = 1) as cancelled
        from sub_logs where ${inRange} group by subscription_id
      )
      update subscriptions s
      set log_count = s.log_count + found.count, cancelled_block = coalesce(s.cancelled_block, found.cancelled)
      from found where ${ofContract} and s.id = found.subscription_id`,

    sql`
      with latest as materialized (
        select distinct on (subscription_id) * from details_logs where ${inRange}
        order by subscription_id, block_number desc, log_index desc
      )
      update subscriptions s
      set url = latest.url, description = latest.description, details_truncated = latest.truncated
      from latest where ${ofContract} and s.id = latest.subscription_id`,

    deriveMemberships(sql, scope, range),

    sql`
      insert into activity_counters (chain_id, contract, account, role, code, count)
      select ${chainId}::bigint, ${contract}, account, role, code, count(*) from (
        select provider as account, 0 as role, code from sub_logs where ${inRange}
        union all select subscriber, 1, code from sub_logs where ${inRange}
        union all select provider, 2, code from sub_logs where ${inRange} and provider = subscriber
      ) found group by account, role, code
      on conflict (chain_id, contract, account, role, code)
      do update set count = activity_counters.count + excluded.count`,

    sql`
      insert into provider_profiles (chain_id, contract, provider, description, company, url, domain, email, misc,
        truncated, updated_block, timestamp)
      select distinct on (provider) chain_id, contract, provider, description, company, url, domain, email, misc,
        truncated, block_number, timestamp
      from provider_details_logs where ${inRange} order by provider, block_number desc, log_index desc
      on conflict (chain_id, contract, provider) do update set description = excluded.description,
        company = excluded.company, url = excluded.url, domain = excluded.domain, email = excluded.email,
        misc = excluded.misc, truncated = excluded.truncated, updated_block = excluded.updated_block,
        timestamp = excluded.timestamp`,
    ...deriveMoney(sql, scope, range),
  ]);
}

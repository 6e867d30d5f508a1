import type { PendingQuery, Row } from "postgres";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";

/** State of the webhooks of a contract, for metrics. Times are unix milliseconds. */
export type WebhookFacts = {
  enabled: number;
  /** Webhooks that were disabled by a 410, or after five days of failures; not those that their owners disabled. */
  disabled: number;
  failing: number;
  /** When the oldest pending delivery of an enabled webhook was made; null for none. */
  oldestPendingAt: number | null;
  /** The earliest due time of the pending deliveries that are due, to endpoints that do not fail; null for none. */
  oldestDueAt: number | null;
  /** When the oldest event was written for which deliveries to such endpoints do not exist yet; null for none. */
  oldestWaitingAt: number | null;
};

export async function readWebhookFacts(
  database: Database,
  { chainId, contract }: ContractScope,
  now: Date,
): Promise<WebhookFacts> {
  const { sql } = database;
  const milliseconds = (time: PendingQuery<Row[]>) => sql`extract(epoch from ${time})::float8 * 1000`;
  const ours = sql`w.chain_id = ${chainId} and w.contract = ${contract}`;
  const [facts] = await database.run(
    "read the state of webhooks",
    () => sql<WebhookFacts[]>`
      select count(*) filter (where enabled)::int as enabled,
        count(*) filter (where disabled_reason in ('gone', 'failing'))::int as disabled,
        count(*) filter (where enabled and failing_since is not null)::int as failing,
        ${milliseconds(sql`min(pending.oldest)`)} as "oldestPendingAt", ${milliseconds(sql`min(pending.due)`)} as "oldestDueAt",
        (select ${milliseconds(sql`written_at`)} from outbox o where o.chain_id = ${chainId} and o.contract = ${contract}
          and o.seq = 1 + (select min(after_seq) from webhooks w where ${ours} and w.enabled and w.failing_since is null)) as "oldestWaitingAt"
      from webhooks w left join lateral (
        select min(created_at) as oldest, min(next_attempt_at) filter (where next_attempt_at <= ${now.toISOString()} and w.failing_since is null) as due
        from webhook_deliveries d where d.webhook_id = w.id and d.state = 'pending' and w.enabled) pending on true
      where ${ours}`,
  );
  if (facts === undefined) throw new Error("the query returned no row");
  return facts;
}

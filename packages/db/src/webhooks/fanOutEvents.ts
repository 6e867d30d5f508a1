import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";
import { isRested } from "./leaseWebhooks";

/** A webhook with this number of deliveries that wait for their first attempt gets no more; the rest waits in the outbox. A webhook that fails needs few. */
const MOST_WAITING = { steady: 1_000, failing: 20 };
/** Seqs that one run looks at for each webhook. */
const SEQS_AT_ONCE = 1_000;

/**
 * Makes deliveries of the events that enabled webhooks have not been given, in the order of seq, due at once; those of a webhook that rests
 * wait in the outbox. Several workers may do it at once: each leaves out the webhooks that another one holds.
 *
 * @returns whether events are left for a webhook that may have room for them
 */
export async function fanOutEvents(
  database: Database,
  { chainId, contract }: ContractScope,
  now: Date,
): Promise<{ isBehind: boolean }> {
  const { sql } = database;
  const at = now.toISOString();
  const { steady, failing } = MOST_WAITING;
  const most = sql`case when w.failures > 0 then ${failing}::int else ${steady}::int end`;
  const [done] = await database.run(
    "make deliveries of events",
    () => sql<{ isBehind: boolean }[]>`
      with due as (
        select w.*, c.last_seq, greatest(w.after_seq, c.pruned_seq) as from_seq,
          least(c.last_seq, greatest(w.after_seq, c.pruned_seq) + ${SEQS_AT_ONCE}) as to_seq
        from webhooks w join outbox_counters c on c.chain_id = w.chain_id and c.contract = w.contract
        where w.chain_id = ${chainId} and w.contract = ${contract} and w.enabled and w.after_seq < c.last_seq
          and ${isRested(database, now)}
          and (select count(*) from (select from webhook_deliveries d
            where d.webhook_id = w.id and d.state = 'pending' and d.attempts = 0 limit ${most}) waiting) < ${most}
        for update of w skip locked
      ), moved as (
        update webhooks w set after_seq = due.to_seq from due where w.id = due.id
      ), made as (
        insert into webhook_deliveries
          (webhook_id, seq, event_id, type, state, requested, attempts, next_attempt_at, created_at)
        select due.id, o.seq, o.id, o.type, 'pending', false, 0, ${at}::timestamptz, ${at}::timestamptz
        from due join outbox o on o.chain_id = due.chain_id and o.contract = due.contract
          and o.seq > due.from_seq and o.seq <= due.to_seq
          and (due.types is null or o.topic = any(due.types) or o.type = any(due.types))
          and (due.subscription_id is null or o.subscription_id = due.subscription_id)
          and (due.provider is null or o.provider = due.provider)
          and (due.subscriber is null or o.subscriber = due.subscriber)
        order by o.seq
      )
      select exists (select from due where to_seq < last_seq) as "isBehind"`,
  );
  return { isBehind: done?.isBehind ?? false };
}

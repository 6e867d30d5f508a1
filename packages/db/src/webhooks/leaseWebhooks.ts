import { CHALLENGE_TYPE } from "@dueday/core/webhooks/webhook";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/**
 * One worker at a time delivers to a webhook, which keeps its events in order. The lease of a worker that was killed expires by itself.
 *
 * Leases begin and end by the database's clock, while most other times are inputs: a lease is an agreement between processes, and a
 * process whose own clock is ahead of the others' would take their live leases.
 */
export type Lease = {
  /** Of the worker process. */
  workerId: string;
  leaseMs: number;
};

/** What a worker needs to deliver to a webhook. */
export type LeasedWebhook = {
  id: string;
  chainId: number;
  url: string;
  revision: number;
  /** Encrypted: the present secret, and the one before while it signs too. */
  secrets: readonly [Hex, ...Hex[]];
  /** Failed attempts since the last success. */
  failures: number;
  /** Whether its last attempt was slow. */
  isSlow: boolean;
};

/** How many webhooks are leased. `doubtful` are those whose last attempt failed or was slow; the others do not wait for them. */
export type Turns = { steady: number; doubtful: number };

/** The most webhooks that are leased for one subject, and for one destination host, by all workers together. */
export const SHARES: Record<"subject" | "host", Turns> = {
  subject: { steady: 16, doubtful: 8 },
  host: { steady: 16, doubtful: 8 },
};

/** A time further ahead was written by a clock that was set back since: it counts as reached. */
const LONGEST_PAUSE_MS = 27 * 3_600_000;
/** A lease that ends later than a new one by more than this was written before the database's clock was set back: it counts as over. */
const LEASE_AHEAD_MS = 60_000;

/** Whether a webhook is one whose last attempt failed or was slow. */
export function isDoubtful({ failures, isSlow }: Pick<LeasedWebhook, "failures" | "isSlow">): boolean {
  return failures > 0 || isSlow;
}

/**
 * Leases webhooks that have due deliveries, are held by no worker, and do not rest. Subjects take turns: each gets its first turn before any
 * gets its second. Among the webhooks of one subject, those that were served longest ago come first; among those of one host, those of an earlier
 * turn, and of these the ones that were served longest ago. No subject and no host has more than its share.
 *
 * @param contracts the contracts whose events this process delivers
 * @param most turns that this process has left
 * @param now of the worker's clock, which decides what is due
 */
export async function leaseWebhooks(
  database: Database,
  { workerId, leaseMs }: Lease,
  { contracts, most, now }: { contracts: readonly ContractScope[]; most: Turns; now: Date },
): Promise<LeasedWebhook[]> {
  const { sql } = database;
  const at = now.toISOString();
  const { subject, host } = SHARES;
  const isLeased = sql`(w.leased_until >= clock_timestamp()
    and w.leased_until <= ${leaseEnd(database, leaseMs + LEASE_AHEAD_MS)})`;
  const doubtful = sql`(w.failures > 0 or w.is_slow)`;
  type Row = Omit<LeasedWebhook, "secrets"> & { secret: Uint8Array; previous: Uint8Array | null };
  const rows = await database.run("lease webhooks", () =>
    sql.begin(async (transaction) => {
      // Two workers that count at the same time would each give a subject its whole share.
      await transaction`select pg_advisory_xact_lock(hashtextextended('lease webhooks', 0))`;
      return transaction<Row[]>`
      with held as materialized (
        select w.subject_id, w.host, ${doubtful} as doubtful from webhooks w where ${isLeased}
      ), of_subject as (
        select subject_id, doubtful, count(*) as turns from held group by 1, 2
      ), of_host as (
        select host, doubtful, count(*) as turns from held group by 1, 2
      ), due as (
        select w.id, w.subject_id, w.host, w.served_at, ${doubtful} as doubtful from webhooks w
        where w.chain_id || ':' || w.contract in ${sql(contracts.map(({ chainId, contract }) => `${chainId}:${contract}`))}
          and ${isLeased} is not true and ${isRested(database, now)}
          and case when ${doubtful} then ${most.doubtful}::int else ${most.steady}::int end > 0
          and exists (select from webhook_deliveries d where d.webhook_id = w.id and ${isDue(database, now)}
            and ${isWanted(database)})
      ), in_turn as (
        select due.*, coalesce(s.turns, 0)
          + row_number() over (partition by doubtful, subject_id order by served_at nulls first, id) as turn_of_subject
        from due left join of_subject s using (subject_id, doubtful)
      ), ranked as (
        select in_turn.*, coalesce(h.turns, 0)
          + row_number() over (partition by doubtful, host order by turn_of_subject, served_at nulls first, id) as turn_of_host
        from in_turn left join of_host h using (host, doubtful)
        where turn_of_subject <= case when doubtful then ${subject.doubtful}::int else ${subject.steady}::int end
      ), chosen as (
        (select id from ranked where not doubtful and turn_of_host <= ${host.steady}
          order by turn_of_subject, served_at nulls first limit ${most.steady})
        union all
        (select id from ranked where doubtful and turn_of_host <= ${host.doubtful}
          order by turn_of_subject, served_at nulls first limit ${most.doubtful})
      ), free as (
        select id from webhooks where id in (select id from chosen) for update skip locked
      )
      update webhooks w set leased_by = ${workerId}, leased_until = ${leaseEnd(database, leaseMs)}, served_at = ${at} from free where w.id = free.id
      returning w.id, w.chain_id::float8 as "chainId", w.url, w.revision, w.secret, w.failures, w.is_slow as "isSlow",
        case when w.previous_secret_until > ${at} then w.previous_secret end as previous`;
    }),
  );
  return rows.map(({ secret, previous, ...webhook }) => ({
    ...webhook,
    secrets: [fromBytes(secret), ...(previous === null ? [] : [fromBytes(previous)])],
  }));
}

/** The time at which a lease that begins now ends. */
function leaseEnd({ sql }: Database, leaseMs: number) {
  return sql`clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond'`;
}

/** The condition of a due delivery `d`. */
export function isDue({ sql }: Database, now: Date) {
  const horizon = new Date(now.getTime() + LONGEST_PAUSE_MS).toISOString();
  return sql`d.state = 'pending' and (d.next_attempt_at <= ${now.toISOString()} or d.next_attempt_at > ${horizon})`;
}

/** The condition of a webhook `w` to which something may be sent, as far as its failures and its host's rate go. */
export function isRested({ sql }: Database, now: Date) {
  const horizon = new Date(now.getTime() + LONGEST_PAUSE_MS).toISOString();
  return sql`(w.rests_until is null or w.rests_until <= ${now.toISOString()} or w.rests_until > ${horizon})`;
}

/** The condition of a delivery `d` that is sent in the present state of its webhook `w`: without a confirmed URL, challenges alone. */
export function isWanted({ sql }: Database) {
  return sql`(w.enabled or (d.requested and (w.confirmed_at is not null or d.type = ${CHALLENGE_TYPE})))`;
}

/** Extends a worker's leases of these webhooks. */
export async function extendLeases(
  database: Database,
  { workerId, leaseMs }: Lease,
  webhookIds: readonly string[],
): Promise<void> {
  await database.run(
    "extend the leases of webhooks",
    () => database.sql`update webhooks set leased_until = ${leaseEnd(database, leaseMs)}
      where leased_by = ${workerId} and id in ${database.sql(webhookIds)}`,
  );
}

/** Gives a webhook back, or all that a worker holds. */
export async function releaseWebhooks(database: Database, workerId: string, webhookId?: string): Promise<void> {
  const { sql } = database;
  await database.run(
    "release webhooks",
    () => sql`update webhooks set leased_by = null, leased_until = null
      where leased_by = ${workerId} ${webhookId === undefined ? sql`` : sql`and id = ${webhookId}`}`,
  );
}

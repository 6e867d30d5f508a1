import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { fromBytes } from "../index/bytes";
import type { ContractScope } from "../schema/columns";

/**
 * One worker at a time delivers to a webhook, which keeps its events in order. The lease of a worker that was killed expires by itself.
 *
 * Leases begin and end by the database's clock, unlike everything else, whose time is an input: a lease is an agreement between
 * processes, and one whose own clock is ahead of the others' would take their live leases.
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
  /** Whether its last attempt failed. */
  isFailing: boolean;
};

/** A time further ahead was written by a clock that was set back since: it counts as reached. */
const LONGEST_PAUSE_MS = 27 * 3_600_000;
/** The same for the end of a lease, where the database's clock was set back by more than so much. */
const LEASE_AHEAD_MS = 60_000;

/**
 * Leases webhooks with due deliveries that no worker holds; those first to which nobody has delivered for longest.
 *
 * @param contracts the contracts whose events this process delivers
 * @param now of the worker's clock, which decides what is due
 */
export async function leaseWebhooks(
  database: Database,
  { workerId, leaseMs }: Lease,
  { contracts, most, now }: { contracts: readonly ContractScope[]; most: number; now: Date },
): Promise<LeasedWebhook[]> {
  const { sql } = database;
  const at = now.toISOString();
  type Row = Omit<LeasedWebhook, "secrets"> & { secret: Uint8Array; previous: Uint8Array | null };
  const rows = await database.run(
    "lease webhooks",
    () => sql<Row[]>`
      with free as (
        select w.id from webhooks w
        where w.chain_id || ':' || w.contract in ${sql(contracts.map(({ chainId, contract }) => `${chainId}:${contract}`))}
          and (w.leased_until is null or w.leased_until < clock_timestamp()
            or w.leased_until > ${leaseEnd(database, leaseMs + LEASE_AHEAD_MS)})
          and exists (select from webhook_deliveries d where d.webhook_id = w.id and ${isDue(database, now)}
            and (w.enabled or d.requested))
        order by w.served_at nulls first limit ${most} for update skip locked)
      update webhooks w set leased_by = ${workerId}, leased_until = ${leaseEnd(database, leaseMs)}, served_at = ${at} from free where w.id = free.id
      returning w.id, w.chain_id::float8 as "chainId", w.url, w.revision, w.secret,
        case when w.previous_secret_until > ${at} then w.previous_secret end as previous,
        w.failing_since is not null as "isFailing"`,
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

import { DAY_MS } from "@dueday/core/calendar/dayNumber";
import type { MailFacts } from "@dueday/core/reminders/mailFacts";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import { insertMail } from "./insertMail";

/** A mail that this worker sends; another one takes it over when the lease has expired. */
export type LeasedMail = {
  id: string;
  account: Hex;
  /** Null for a mail that is of no chain. */
  scope: ContractScope | null;
  facts: MailFacts;
  /** Encrypted. */
  mailbox: Hex;
  mailboxHash: Hex;
  /** Failed attempts. */
  attempts: number;
};

export type MailLease = {
  /** Of the worker process. */
  workerId: string;
  /** By the database's clock, as leases of webhooks. */
  leaseMs: number;
};

/** The most mails of a UTC day to a mailbox; further ones wait for their account's digest on the next day. Confirmations have a separate limit. */
export const MAILS_A_DAY = 20;

/**
 * Leases mails that are due. A mail about an event is due only when the event's block is safe. Mails to a mailbox beyond `MAILS_A_DAY` are
 * held for the digests of the next day.
 *
 * @param now of the worker's clock, which decides what is due
 */
export async function leaseMails(
  database: Database,
  { workerId, leaseMs }: MailLease,
  { most, now }: { most: number; now: Date },
): Promise<LeasedMail[]> {
  const day = Math.floor(now.getTime() / DAY_MS);
  const startOfDay = new Date(day * DAY_MS).toISOString();
  type Row = Pick<LeasedMail, "id" | "facts" | "attempts"> &
    Record<"account" | "mailbox" | "hash", Uint8Array> & { chain_id: string | null; contract: string | null };
  const rows = await database.run("lease mails", () =>
    database.sql.begin(async (sql) => {
      // Two workers that count at the same time would each send a whole day's number of mails.
      await sql`select pg_advisory_xact_lock(hashtextextended('lease mails', 0))`;
      await collectDigests(sql, day, now);
      const due = sql`
        select m.id, m.mailbox_hash, m.created_at, m.facts->>'kind' = 'confirmation' as is_free
        from mails m join mailboxes b on b.account = m.account and b.mailbox_hash = m.mailbox_hash
        left join index_checkpoints c on c.chain_id = m.chain_id and c.contract = m.contract
        where m.state = 'waiting' and not m.closed and m.held_day is null and m.next_attempt_at <= ${now.toISOString()}
          and (m.leased_until is null or m.leased_until < clock_timestamp())
          and (m.block_number is null or m.block_number <= c.safe_number)
          and (b.confirmed_at is not null or m.facts->>'kind' = 'confirmation')`;
      const ranked = sql`
        select due.*, (row_number() over (partition by mailbox_hash, is_free order by created_at, id)
          + (select count(*) from mails s where s.mailbox_hash = due.mailbox_hash and s.facts->>'kind' <> 'confirmation'
            and (s.sent_at >= ${startOfDay} or (s.state = 'waiting' and s.leased_until >= clock_timestamp())))) as rank from (${due}) due`;
      await sql`update mails m set held_day = ${day} from (${ranked}) r
        where m.id = r.id and not r.is_free and r.rank > ${MAILS_A_DAY} and m.facts->>'kind' <> 'digest'`;
      return sql<Row[]>`
        with chosen as (select id from (${ranked}) r where is_free or rank <= ${MAILS_A_DAY} order by created_at limit ${most})
        update mails m set leased_by = ${workerId}, leased_until = clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond'
        from chosen, mailboxes b where m.id = chosen.id and b.account = m.account
        returning m.id, m.account, m.chain_id, m.contract, m.facts, m.attempts, b.mailbox, m.mailbox_hash as hash`;
    }),
  );
  return rows.map(({ account, mailbox, hash, chain_id, contract, ...mail }) => ({
    ...mail,
    account: fromBytes(account),
    mailbox: fromBytes(mailbox),
    mailboxHash: fromBytes(hash),
    scope: chain_id === null || contract === null ? null : { chainId: Number(chain_id), contract },
  }));
}

/**
 * Puts the mails that were held on earlier days into one digest for each account. Those that a worker with a slow clock holds after a
 * worker has leased the digest of the day wait for the next one.
 */
async function collectDigests(sql: Parameters<typeof insertMail>[0], day: number, now: Date): Promise<void> {
  const held = await sql<{ account: Uint8Array; hash: Uint8Array }[]>`
    select distinct m.account, m.mailbox_hash as hash from mails m
    where m.state = 'waiting' and not m.closed and m.held_day < ${day}`;
  for (const { account, hash } of held) {
    const subject = `digest ${day}`;
    const facts = { kind: "digest" } as const;
    await insertMail(
      sql,
      { account: fromBytes(account), mailboxHash: fromBytes(hash), subject, wants: null, facts },
      now,
    );
    await sql`update mails m set state = 'collected', digest_id = d.id from mails d
      where d.account = ${account} and d.subject = ${subject} and d.state = 'waiting' and d.leased_until is null
        and m.account = ${account} and m.mailbox_hash = ${hash}
        and m.state = 'waiting' and not m.closed and m.held_day < ${day}`;
  }
}

/** A mail in a digest. */
export type CollectedMail = Pick<LeasedMail, "facts"> & { scope: ContractScope };

/** The mails in a digest, oldest first, without those that were taken back meanwhile. */
export async function readDigest(database: Database, id: string): Promise<CollectedMail[]> {
  const rows = await database.run(
    "read a digest",
    () => database.sql<{ facts: MailFacts; chain_id: string; contract: string }[]>`
      select facts, chain_id, contract from mails where digest_id = ${id} and not closed order by created_at, id`,
  );
  return rows.map(({ facts, chain_id, contract }) => ({ facts, scope: { chainId: Number(chain_id), contract } }));
}

import type { Database } from "../connectDatabase";

/** State of the mails and mailboxes, for metrics. */
export type MailState = {
  confirmed: number;
  unconfirmed: number;
  /** Mailboxes whose last mail was refused for good. */
  refused: number;
  waiting: number;
  /** When the oldest mail that a worker could send became due, unix milliseconds; null for none. */
  oldestDueAt: number | null;
};

export async function readMailState(database: Database, now: Date): Promise<MailState> {
  const at = now.toISOString();
  const [row] = await database.run(
    "read the state of mails",
    () => database.sql<MailState[]>`
      select (select count(*) from mailboxes where confirmed_at is not null)::int as confirmed,
        (select count(*) from mailboxes where confirmed_at is null)::int as unconfirmed,
        (select count(*) from mailboxes where refusals > 0)::int as refused,
        count(*)::int as waiting,
        (extract(epoch from min(m.next_attempt_at) filter (where m.next_attempt_at <= ${at} and m.held_day is null
          and (m.block_number is null or m.block_number <= c.safe_number)
          and (b.confirmed_at is not null or m.facts->>'kind' = 'confirmation'))) * 1000)::float8 as "oldestDueAt"
      from mails m join mailboxes b on b.account = m.account and b.mailbox_hash = m.mailbox_hash
      left join index_checkpoints c on c.chain_id = m.chain_id and c.contract = m.contract
      where m.state = 'waiting' and not m.closed`,
  );
  if (row === undefined) throw new Error("the query returned no row");
  return row;
}

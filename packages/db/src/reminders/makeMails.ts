import type { DomainEvent } from "@dueday/core/domainEvents/domainEvent";
import type { HappenedFacts, MailFacts } from "@dueday/core/reminders/mailFacts";
import { cancelledSubject, type EventMail, mailsOfEvent } from "@dueday/core/reminders/mailsOfEvent";
import type { ReminderKind } from "@dueday/core/reminders/reminderKind";
import type { TransactionSql } from "postgres";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { bytesList, fromBytes, toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import { insertMail } from "./insertMail";
import { isStillWanted } from "./isStillWanted";
import { lockProgress } from "./lockProgress";

/** Events that one run reads. */
const EVENTS_AT_ONCE = 500;
/** After a reorganisation, the same usually happens again in another block: a correction waits for this time. */
const CORRECTION_DELAY_MS = 10 * 60_000;

/**
 * Makes mails from the events that have not been read yet, for accounts whose mailbox is confirmed by now. Several workers may call it at once:
 * one runs, the others wait for it.
 *
 * @returns whether events may be left
 */
export async function makeMails(database: Database, scope: ContractScope, now: Date): Promise<{ isBehind: boolean }> {
  return database.run("make mails of events", () =>
    database.sql.begin(async (sql) => {
      const { afterSeq } = await lockProgress(sql, scope);
      const { chainId, contract } = scope;
      const rows = await sql<{ seq: number; body: string }[]>`
        select seq::float8 as seq, body from outbox where chain_id = ${chainId} and contract = ${contract} and seq > ${afterSeq}
        order by seq limit ${EVENTS_AT_ONCE}`;
      const last = rows.at(-1);
      if (last === undefined) return { isBehind: false };
      // The worker wrote the events there.
      const events = rows.map(({ body }): DomainEvent => JSON.parse(body));
      await writeMails(sql, scope, events, now);
      await sql`update mail_progress set after_seq = ${last.seq} where chain_id = ${chainId} and contract = ${contract}`;
      return { isBehind: rows.length === EVENTS_AT_ONCE };
    }),
  );
}

type Receiver = { mailboxHash: Hex; kinds: readonly ReminderKind[] };

async function writeMails(sql: TransactionSql, scope: ContractScope, events: readonly DomainEvent[], now: Date) {
  const members = await readMembers(sql, scope, events);
  const wanted = events.map((event) => ({
    event,
    mails: mailsOfEvent(event, ("id" in event.data && members.get(event.data.id.toLowerCase())) || []),
  }));
  const receivers = await readReceivers(
    sql,
    wanted.flatMap(({ mails }) => mails.map(({ account }) => account)),
  );

  async function write(event: DomainEvent, mail: EventMail): Promise<void> {
    const receiver = receivers.get(mail.account);
    if (receiver === undefined || !receiver.kinds.includes(mail.wants)) return;
    // The protocol's janitor removes the subscribers of a plan that its seller ended: they already have a mail about
    // the cancellation.
    if (
      mail.facts.kind === "ended" &&
      mail.facts.by === "removed" &&
      (await knowsEnd(sql, mail.account, cancelledSubject(event.chainId, mail.facts.plan)))
    )
      return;
    const source = { id: event.id, blockNumber: Number(event.block.number) };
    if (await bringBack(sql, mail, source)) return;
    await insertMail(sql, { ...mail, mailboxHash: receiver.mailboxHash, scope, event: source }, now);
  }

  for (const { event, mails } of wanted) {
    if (event.type === "event.retracted") await retract(sql, event.data.id, now);
    for (const mail of mails) await write(event, mail);
  }
}

/** Active subscribers, with a mailbox, of the plans that these events cancel. */
async function readMembers(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  events: readonly DomainEvent[],
): Promise<Map<string, Hex[]>> {
  const ids = events.flatMap(({ type, data }) =>
    type === "subscription.cancelled" ? [data.id.toLowerCase() as Hex] : [],
  ); // a checked id
  const members = new Map<string, Hex[]>();
  if (ids.length === 0) return members;
  const rows = await sql<{ id: Uint8Array; subscriber: Uint8Array }[]>`
    select m.subscription_id as id, m.subscriber from memberships m join mailboxes b on b.account = m.subscriber
    where m.chain_id = ${chainId} and m.contract = ${contract} and m.active and m.subscription_id in ${bytesList(sql, ids)}`;
  for (const { id, subscriber } of rows) {
    const key = fromBytes(id);
    members.set(key, [...(members.get(key) ?? []), fromBytes(subscriber)]);
  }
  return members;
}

async function readReceivers(sql: TransactionSql, accounts: readonly Hex[]): Promise<Map<Hex, Receiver>> {
  if (accounts.length === 0) return new Map();
  const rows = await sql<{ account: Uint8Array; hash: Uint8Array; kinds: ReminderKind[] }[]>`
    select account, mailbox_hash as hash, kinds from mailboxes
    where confirmed_at is not null and account in ${bytesList(sql, [...new Set(accounts)])}`;
  return new Map(rows.map(({ account, hash, kinds }) => [fromBytes(account), { mailboxHash: fromBytes(hash), kinds }]));
}

async function knowsEnd(sql: TransactionSql, account: Hex, subject: string): Promise<boolean> {
  const [row] =
    await sql`select from mails where account = ${toBytes(account)} and subject = ${subject} and not closed`;
  return row !== undefined;
}

type RetractedRow = Record<"id" | "chain_id" | "contract", string> &
  Record<"account" | "hash", Uint8Array> & { wants: ReminderKind; facts: MailFacts; isWanted: boolean };

/** Takes back the mails of an event: those that were not sent are deleted, the others get a correction. */
async function retract(sql: TransactionSql, eventId: string, now: Date): Promise<void> {
  await sql`delete from mails where event_id = ${eventId} and not closed and (state = 'failed' or state = 'waiting'
    and (leased_until is null or leased_until < clock_timestamp()))`;
  const sent = await sql<RetractedRow[]>`
    update mails m set closed = true where event_id = ${eventId} and not closed
    returning id, account, mailbox_hash as hash, chain_id, contract, wants, facts, ${isStillWanted(sql)} as "isWanted"`;
  const dueAt = new Date(now.getTime() + CORRECTION_DELAY_MS);
  for (const { id, account, hash, chain_id, contract, wants, facts, isWanted } of sent) {
    if (!isHappened(facts) || !isWanted) continue;
    const correction = {
      account: fromBytes(account),
      mailboxHash: fromBytes(hash),
      scope: { chainId: Number(chain_id), contract },
      subject: correctionSubject(id),
      wants,
      facts: { kind: "correction", of: facts },
      dueAt,
    } as const;
    await insertMail(sql, correction, now);
  }
}

/**
 * Reopens a mail whose correction has not been sent, because what the mail reports has happened again in another block.
 *
 * @returns false where there is none
 */
async function bringBack(
  sql: TransactionSql,
  { account, subject }: EventMail,
  { id, blockNumber }: { id: string; blockNumber: number },
): Promise<boolean> {
  const corrected = await sql<{ id: string }[]>`
    select m.id from mails m where account = ${toBytes(account)} and subject = ${subject} and closed order by created_at desc`;
  for (const mail of corrected) {
    const deleted =
      await sql`delete from mails where account = ${toBytes(account)} and subject = ${correctionSubject(mail.id)}
      and state = 'waiting' and (leased_until is null or leased_until < clock_timestamp()) returning id`;
    if (deleted.length === 0) continue;
    await sql`update mails set closed = false, event_id = ${id}, block_number = ${blockNumber} where id = ${mail.id}`;
    return true;
  }
  return false;
}

/** Only mails about what happened come from an event that can be retracted. */
function isHappened(facts: MailFacts): facts is HappenedFacts {
  const kinds: readonly MailFacts["kind"][] = ["failed", "ended", "receipt", "joined", "left", "lost", "removed"];
  return kinds.includes(facts.kind);
}

function correctionSubject(mailId: string): string {
  return `correction ${mailId}`;
}

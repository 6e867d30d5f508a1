import type { MailFacts } from "@dueday/core/reminders/mailFacts";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { hexBytes, ofContract } from "./columns";

/** The mailbox of each account, for all chains: a person signs in with an address, whatever the chain. */
export const mailboxes = pgTable(
  "mailboxes",
  {
    account: hexBytes("account").primaryKey(),
    /** The address, encrypted (`createMailSecrets`). */
    mailbox: hexBytes("mailbox").notNull(),
    /** Keyed hash of the address. */
    mailboxHash: hexBytes("mailbox_hash").notNull(),
    /** `ReminderKind`s that are switched on. */
    kinds: text("kinds").array().notNull(),
    /** When its owner followed the link of the confirmation; null before, and again after the server refused it repeatedly. */
    confirmedAt: timestamp("confirmed_at", { withTimezone: true }),
    /** Mails in a row that the server refused for good. */
    refusals: integer("refusals").notNull().default(0),
    updatedAt: timestamp("updated_at", { withTimezone: true }).notNull(),
  },
  (table) => [index("mailboxes_by_hash").on(table.mailboxHash)],
);

/** Confirmations that were mailed: they limit how many a mailbox gets, and the links in the mails name them. */
export const mailConfirmations = pgTable(
  "mail_confirmations",
  {
    id: uuid("id").primaryKey(),
    account: hexBytes("account").notNull(),
    mailboxHash: hexBytes("mailbox_hash").notNull(),
    /** Keyed hash of the address in lower case, without what may follow a plus sign: the same for all spellings of a mailbox. */
    limitHash: hexBytes("limit_hash").notNull(),
    requestedAt: timestamp("requested_at", { withTimezone: true }).notNull(),
    /** Its link works once. */
    usedAt: timestamp("used_at", { withTimezone: true }),
  },
  (table) => [
    index("mail_confirmations_by_limit").on(table.limitHash, table.requestedAt),
    index("mail_confirmations_by_age").on(table.requestedAt),
  ],
);

/** One row for each mail. Its id is in its Message-ID, so that a mail that was sent twice is recognised. */
export const mails = pgTable(
  "mails",
  {
    id: uuid("id").primaryKey(),
    account: hexBytes("account").notNull(),
    /** The mailbox that it was made for: it is sent to no other. */
    mailboxHash: hexBytes("mailbox_hash").notNull(),
    /** Null for mails that are of no chain. */
    chainId: bigint("chain_id", { mode: "number" }),
    contract: text("contract"),
    /** What it is about, such as a plan and a due date: an account is mailed once about it. */
    subject: text("subject").notNull(),
    /** The `ReminderKind` that allows the mail; null where the mail needs none. */
    wants: text("wants"),
    facts: jsonb("facts").$type<MailFacts>().notNull(),
    /** The event that the mail follows from, and its block: the mail is not sent before the block is safe. Null for what will happen. */
    eventId: text("event_id"),
    blockNumber: bigint("block_number", { mode: "number" }),
    /** `waiting`, `sent`, `collected` (it is in a digest), or `failed`: it is not tried again. */
    state: text("state", { enum: ["waiting", "sent", "collected", "failed"] }).notNull(),
    /** Whether what it announced is over or was taken back: a later mail about the same subject is then another one. */
    closed: boolean("closed").notNull().default(false),
    /** Day number on which its mailbox had reached the limit of mails: the mail waits for the digest of the next day. */
    heldDay: integer("held_day"),
    /** The digest that contains it. */
    digestId: uuid("digest_id"),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: timestamp("next_attempt_at", { withTimezone: true }).notNull(),
    /** The worker process that sends it, until the lease expires. */
    leasedBy: uuid("leased_by"),
    leasedUntil: timestamp("leased_until", { withTimezone: true }),
    /** Of the last attempt that failed: a code without any address. */
    failure: text("failure"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    sentAt: timestamp("sent_at", { withTimezone: true }),
  },
  (table) => [
    uniqueIndex("mails_by_subject").on(table.account, table.subject).where(sql`not closed`),
    index("mails_due").on(table.nextAttemptAt).where(sql`state = 'waiting' and not closed`),
    index("mails_by_event").on(table.eventId).where(sql`event_id is not null`),
    index("mails_by_mailbox").on(table.mailboxHash, table.sentAt),
    index("mails_by_digest").on(table.digestId).where(sql`digest_id is not null`),
    index("mails_by_age").on(table.createdAt),
  ],
);

/** How far the events of an outbox have become mails. Its row is locked while mails of its contract are made. */
export const mailProgress = pgTable(
  "mail_progress",
  {
    ...ofContract,
    afterSeq: bigint("after_seq", { mode: "number" }).notNull(),
    /** Day of the chain whose coming charges were looked for; null before the first. */
    comingDay: integer("coming_day"),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract] })],
);

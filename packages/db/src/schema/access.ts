import { bigint, boolean, index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

/** Keys of the developer lane. The text of a key is returned once, when it is created, and is not stored. */
export const developerKeys = pgTable(
  "developer_keys",
  {
    id: uuid("id").primaryKey(),
    /** The owner of the key, as named by the portal that created it. */
    subjectId: text("subject_id").notNull(),
    label: text("label"),
    /** The first characters of the key's text, so that people can distinguish keys. */
    prefix: text("prefix").notNull(),
    /** SHA-256 of the key's text, hex. */
    hash: text("hash").notNull().unique(),
    /** Created by the admin, who knows its owner: its requests do not count in the limits of their address. */
    byAdmin: boolean("by_admin").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    /** Accurate to the minute. */
    lastUsedAt: timestamp("last_used_at", { withTimezone: true }),
    revokedAt: timestamp("revoked_at", { withTimezone: true }),
  },
  (table) => [
    index("developer_keys_by_subject").on(table.subjectId, table.createdAt),
    index("developer_keys_by_revocation").on(table.revokedAt),
  ],
);

/** One row for each action on keys, by the admin or by their owner; holds neither the admin secret nor the text of a key. */
export const adminAudit = pgTable(
  "admin_audit",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp("at", { withTimezone: true }).notNull(),
    /** An `AdminAction`. */
    action: text("action").notNull(),
    keyId: uuid("key_id"),
    subjectId: text("subject_id"),
    requestId: uuid("request_id").notNull(),
    /** Hash of the client's address with the key of that day. */
    client: text("client").notNull(),
  },
  (table) => [index("admin_audit_by_time").on(table.at)],
);

/**
 * The key with which clients' addresses are hashed on one day. Keys of later days follow from it; earlier ones are not
 * stored. One row.
 */
export const identityKey = pgTable("identity_key", {
  only: boolean("only").primaryKey().default(true),
  /** UTC day number. */
  day: integer("day").notNull(),
  /** 32 bytes, hex. */
  key: text("key").notNull(),
});

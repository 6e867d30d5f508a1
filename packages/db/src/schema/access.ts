import { bigint, boolean, index, integer, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

/** Keys of the developer lane. The key's text is shown once, when it is made, and kept nowhere. */
export const developerKeys = pgTable(
  "developer_keys",
  {
    id: uuid("id").primaryKey(),
    /** Whose key it is, in the words of the portal that asked for it. */
    subjectId: text("subject_id").notNull(),
    label: text("label"),
    /** The first characters of the key's text, for people to tell keys apart. */
    prefix: text("prefix").notNull(),
    /** SHA-256 of the key's text, hex. */
    hash: text("hash").notNull().unique(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    /** To the minute. */
    lastUsedAt: timestamp("last_used_at", { withTimezone: true }),
    revokedAt: timestamp("revoked_at", { withTimezone: true }),
  },
  (table) => [
    index("developer_keys_by_subject").on(table.subjectId, table.createdAt),
    index("developer_keys_by_revocation").on(table.revokedAt),
  ],
);

/** What was done with the admin secret; neither the secret nor a key's text is in it. */
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
    /** The day's hash of the client's address. */
    client: text("client").notNull(),
  },
  (table) => [index("admin_audit_by_time").on(table.at)],
);

/** The key that addresses are hashed with, of one day; the later days' keys follow from it, earlier ones are gone. One row. */
export const identityKey = pgTable("identity_key", {
  only: boolean("only").primaryKey().default(true),
  /** UTC day number. */
  day: integer("day").notNull(),
  /** 32 bytes, hex. */
  key: text("key").notNull(),
});

import { index, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

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

import { index, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** Messages that were issued for signing in to the developer portal. A row is deleted when its message is used. */
export const portalChallenges = pgTable(
  "portal_challenges",
  {
    /** SHA-256 of the message's nonce, hex. */
    nonceHash: text("nonce_hash").primaryKey(),
    /** The address that has to sign, checksummed. */
    address: text("address").notNull(),
    issuedAt: timestamp("issued_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [index("portal_challenges_by_expiry").on(table.expiresAt)],
);

/** Browsers that are signed in to the developer portal. A session ends when it expires, or earlier when its row is deleted. */
export const portalSessions = pgTable(
  "portal_sessions",
  {
    /** SHA-256 of the text in the cookie, hex. The text itself is not stored. */
    tokenHash: text("token_hash").primaryKey(),
    /** Owner of the keys that the session manages: `eip155:` and the address that signed. */
    subjectId: text("subject_id").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    index("portal_sessions_by_subject").on(table.subjectId),
    index("portal_sessions_by_expiry").on(table.expiresAt),
  ],
);

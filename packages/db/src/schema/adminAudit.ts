import { bigint, index, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

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

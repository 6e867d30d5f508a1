import { boolean, integer, pgTable, text } from "drizzle-orm/pg-core";

/** The key that addresses are hashed with, of one day; the later days' keys follow from it, earlier ones are gone. One row. */
export const identityKey = pgTable("identity_key", {
  only: boolean("only").primaryKey().default(true),
  /** UTC day number. */
  day: integer("day").notNull(),
  /** 32 bytes, hex. */
  key: text("key").notNull(),
});

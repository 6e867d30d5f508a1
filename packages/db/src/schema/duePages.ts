import { pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { ofContract } from "./columns";

/**
 * Pages of due lists, each under the hash of its content: the `due` snapshots name them. A page is never changed, so days and scans with
 * equal pages share them.
 */
export const duePages = pgTable(
  "due_pages",
  {
    ...ofContract,
    /** A `storedKind` of core: the version of the page's schema is that of the snapshot. */
    kind: text("kind").notNull(),
    hash: text("hash").notNull(),
    /** JSON text, for the same reasons as a snapshot's payload. */
    payload: text("payload").notNull(),
    /** When a scan last needed the page for a changed day, accurate to half an hour: the time is not written more often. */
    neededAt: timestamp("needed_at", { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.kind, table.hash] })],
);

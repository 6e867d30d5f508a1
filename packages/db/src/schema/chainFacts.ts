import { bigint, integer, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { ofContract } from "./columns";
import { hexBytes } from "./hexBytes";

/** What no event tells of a subscription, read once from the chain. Never changes while its creation stands. */
export const subscriptionTerms = pgTable(
  "subscription_terms",
  {
    ...ofContract,
    id: hexBytes("id").notNull(),
    createdBlock: bigint("created_block", { mode: "number" }).notNull(),
    frequency: smallint("frequency").notNull(),
    dueDay: integer("due_day").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.id] })],
);

/** Tokens seen in SubLog events. */
export const indexedTokens = pgTable(
  "indexed_tokens",
  {
    ...ofContract,
    token: hexBytes("token").notNull(),
    /** Clean text. */
    symbol: text("symbol").notNull(),
    /** Those of the protocol's own record. */
    decimals: smallint("decimals").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.token] })],
);

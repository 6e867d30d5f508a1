import { bigint, integer, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { hexBytes, ofContract } from "./columns";

/** Which chain the rows of a chain id speak of: two chains can have one id (a devnet made anew), but never one genesis. */
export const chainIdentity = pgTable(
  "chain_identity",
  {
    ...ofContract,
    genesisHash: text("genesis_hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId] })],
);

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

import { bigint, integer, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { hexBytes, ofContract } from "./columns";

/**
 * The chain that the rows of a chain id belong to. Two chains can share an id (a devnet started again), but not a genesis
 * block.
 */
export const chainIdentity = pgTable(
  "chain_identity",
  {
    ...ofContract,
    genesisHash: text("genesis_hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId] })],
);

/** The terms of a subscription that no event contains, read once from the chain. They never change. */
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
    /** Cleaned text. */
    symbol: text("symbol").notNull(),
    /** As the protocol has recorded them. */
    decimals: smallint("decimals").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.token] })],
);

import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { ofContract } from "./columns";

/** Which chain the rows of a chain id speak of: two chains can have one id (a devnet made anew), but never one genesis. */
export const chainIdentity = pgTable(
  "chain_identity",
  {
    ...ofContract,
    genesisHash: text("genesis_hash").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId] })],
);

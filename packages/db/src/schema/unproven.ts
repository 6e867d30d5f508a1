import { bigint, pgTable, primaryKey } from "drizzle-orm/pg-core";
import { ofContract } from "./columns";

/**
 * Indexed blocks whose events were not read, because reading them costs too much at their node: the contract's storage was the same before
 * and after. Neighbouring blocks share a row.
 */
export const unprovenRanges = pgTable(
  "unproven_ranges",
  {
    ...ofContract,
    fromBlock: bigint("from_block", { mode: "number" }).notNull(),
    toBlock: bigint("to_block", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.fromBlock] })],
);

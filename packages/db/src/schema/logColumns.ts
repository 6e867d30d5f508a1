import { bigint, integer } from "drizzle-orm/pg-core";
import { ofContract } from "./columns";
import { hexBytes } from "./hexBytes";

/** Where a log stands: the columns every table of logs begins with. */
export const logColumns = {
  ...ofContract,
  blockNumber: bigint("block_number", { mode: "number" }).notNull(),
  /** Within the block. */
  logIndex: integer("log_index").notNull(),
  blockHash: hexBytes("block_hash").notNull(),
  transactionHash: hexBytes("transaction_hash").notNull(),
};

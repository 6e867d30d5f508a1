import { bigint, integer, pgTable, primaryKey } from "drizzle-orm/pg-core";
import { anyInteger, hexBytes, ofContract, uint256 } from "./columns";

/**
 * Facts of receipts that no log of the protocol holds: of each transaction that called remit(), or in which the provider or the janitor
 * removed a subscriber.
 */
export const receipts = pgTable(
  "receipts",
  {
    ...ofContract,
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    transactionHash: hexBytes("transaction_hash").notNull(),
    gasUsed: anyInteger("gas_used").notNull(),
    /** Everything that its sender paid for gas, the fee of an L1 included. */
    costWei: anyInteger("cost_wei").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.blockNumber, table.transactionHash] })],
);

/** What the caller of remit() received, by transaction and token. */
export const keeperFees = pgTable(
  "keeper_fees",
  {
    ...ofContract,
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    transactionHash: hexBytes("transaction_hash").notNull(),
    token: hexBytes("token").notNull(),
    units: anyInteger("units").notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.chainId, table.contract, table.blockNumber, table.transactionHash, table.token],
    }),
  ],
);

/** What a removed subscriber got back, by the position of its UNSUBSCRIBED. */
export const removalRefunds = pgTable(
  "removal_refunds",
  {
    ...ofContract,
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    logIndex: integer("log_index").notNull(),
    units: uint256("units").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.blockNumber, table.logIndex] })],
);

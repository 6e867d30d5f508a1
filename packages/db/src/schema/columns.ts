import { bigint, customType, integer, numeric, text } from "drizzle-orm/pg-core";
import type { Hex } from "viem";

/** The contract whose rows are read or written: the columns `ofContract`. */
export type ContractScope = { chainId: number; contract: string };

/** The columns of every table whose rows belong to a contract: a database may hold several chains, and several contracts of one chain. */
export const ofContract = {
  chainId: bigint("chain_id", { mode: "number" }).notNull(),
  /** Checksummed address. */
  contract: text("contract").notNull(),
};

/** A uint256: an amount, wei, or any number that may exceed 2^63. */
export function uint256(name: string) {
  return numeric(name, { precision: 78, scale: 0, mode: "bigint" });
}

/** A sum or product of uint256 numbers, of any size. */
export function anyInteger(name: string) {
  return numeric(name, { mode: "string" });
}

/**
 * An id, hash or address stored as bytes, which halves its size in the table and in each index. Lower-case hex in
 * TypeScript.
 */
export const hexBytes = customType<{ data: Hex; driverData: Uint8Array }>({
  dataType: () => "bytea",
  toDriver: (hex) => Buffer.from(hex.slice(2), "hex"),
  fromDriver: (bytes) => `0x${bytes.toHex()}`,
});

/** Position of a log on the chain: the columns that every table of logs begins with. */
export const logColumns = {
  ...ofContract,
  blockNumber: bigint("block_number", { mode: "number" }).notNull(),
  /** Within the block. */
  logIndex: integer("log_index").notNull(),
  blockHash: hexBytes("block_hash").notNull(),
  transactionHash: hexBytes("transaction_hash").notNull(),
};

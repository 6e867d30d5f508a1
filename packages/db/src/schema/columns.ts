import { bigint, numeric, text } from "drizzle-orm/pg-core";

/** The columns every table begins with: a database may hold several chains, and several contracts of one. */
export const ofContract = {
  chainId: bigint("chain_id", { mode: "number" }).notNull(),
  /** Checksummed address. */
  contract: text("contract").notNull(),
};

/** A uint256: an amount, wei, or any figure that may pass 2^63. */
export function uint256(name: string) {
  return numeric(name, { precision: 78, scale: 0, mode: "bigint" });
}

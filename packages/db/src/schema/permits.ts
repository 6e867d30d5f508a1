import { sql } from "drizzle-orm";
import { bigint, boolean, index, pgTable, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { hexBytes, ofContract, uint256 } from "./columns";

/** Signed allowances (EIP-2612) that their owners have left here, until they expire. */
export const permits = pgTable(
  "permits",
  {
    id: uuid("id").primaryKey(),
    ...ofContract,
    /** The order in which they were stored. */
    seq: bigint("seq", { mode: "number" }).generatedAlwaysAsIdentity(),
    token: hexBytes("token").notNull(),
    owner: hexBytes("owner").notNull(),
    /** The digest that was signed. */
    hash: hexBytes("hash").notNull(),
    signature: hexBytes("signature").notNull(),
    isOfKey: boolean("is_of_key").notNull(),
    value: uint256("value").notNull(),
    nonce: uint256("nonce").notNull(),
    /** The owner's allowance for the contract when the permit was stored. */
    allowance: uint256("allowance").notNull(),
    /** Unix seconds. */
    deadline: bigint("deadline", { mode: "bigint" }).notNull(),
    /** A `PermitState`. */
    state: text("state").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    uniqueIndex("permits_hash").on(table.chainId, table.contract, table.hash),
    // An account's last permit in a token replaces the one before.
    uniqueIndex("permits_kept")
      .on(table.chainId, table.contract, table.owner, table.token)
      .where(sql`${table.state} = 'kept'`),
    index("permits_by_token")
      .on(table.chainId, table.contract, table.token, table.seq)
      .where(sql`${table.state} = 'kept'`),
    index("permits_by_deadline").on(table.deadline),
  ],
);

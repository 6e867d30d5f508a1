import { bigint, boolean, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { ofContract } from "./columns";
import { hexBytes } from "./hexBytes";

/** Derived from the logs: how many SubLog events an account has, by what it was in them and by their code. */
export const activityCounters = pgTable(
  "activity_counters",
  {
    ...ofContract,
    account: hexBytes("account").notNull(),
    /** 0 provider, 1 subscriber, 2 both at once (counted in 0 and 1 as well). */
    role: smallint("role").notNull(),
    code: smallint("code").notNull(),
    count: bigint("count", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.account, table.role, table.code] })],
);

/** Derived from the logs: the latest profile of each provider. */
export const providerProfiles = pgTable(
  "provider_profiles",
  {
    ...ofContract,
    provider: hexBytes("provider").notNull(),
    description: text("description").notNull(),
    company: text("company").notNull(),
    url: text("url").notNull(),
    domain: text("domain").notNull(),
    email: text("email").notNull(),
    misc: text("misc").notNull(),
    truncated: boolean("truncated").notNull(),
    updatedBlock: bigint("updated_block", { mode: "number" }).notNull(),
    /** Unix seconds. */
    timestamp: bigint("timestamp", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.provider] })],
);

/** Derived from the logs: the calls of remit() by each keeper. */
export const keeperCalls = pgTable(
  "keeper_calls",
  {
    ...ofContract,
    caller: hexBytes("caller").notNull(),
    /** Transactions that settled a day or a page of one. */
    calls: bigint("calls", { mode: "number" }).notNull(),
    daysClosed: bigint("days_closed", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.caller] })],
);

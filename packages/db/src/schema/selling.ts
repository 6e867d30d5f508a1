import { jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { hexBytes, ofContract } from "./columns";

/** Whether the domain of a provider's profile names the provider in DNS, as the worker last found. */
export const domainChecks = pgTable(
  "domain_checks",
  {
    ...ofContract,
    provider: hexBytes("provider").notNull(),
    /** The domain in the profile that was checked: a domain that the profile names later is not verified by this row. */
    profileDomain: text("profile_domain").notNull(),
    /** The domain as DNS has it. */
    domain: text("domain").notNull(),
    /** When DNS last had the record; null where the last definite answer of DNS did not contain it, and before the first definite answer. */
    confirmedAt: timestamp("confirmed_at", { withTimezone: true }),
    nextCheckAt: timestamp("next_check_at", { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.provider] })],
);

/** What sellers allow on their checkouts, for all chains: a seller signs in with an address, whatever the chain. */
export const checkoutSettings = pgTable("checkout_settings", {
  seller: hexBytes("seller").primaryKey(),
  origins: jsonb("origins").$type<string[]>().notNull(),
  returnUrls: jsonb("return_urls").$type<string[]>().notNull(),
  supportUrl: text("support_url"),
  paymasterUrl: text("paymaster_url"),
  updatedAt: timestamp("updated_at", { withTimezone: true }).notNull(),
});

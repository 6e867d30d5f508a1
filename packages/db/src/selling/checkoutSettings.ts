import { eq } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { checkoutSettings } from "../schema/selling";

/** What a seller allows on its checkouts. */
export type CheckoutSettings = {
  /** Origins whose pages may show the checkout in a frame. */
  origins: string[];
  /** Origin and path of the pages that a payer may return to. */
  returnUrls: string[];
  supportUrl: string | null;
  paymasterUrl: string | null;
};

/** The settings of a seller; null before it has stored any. */
export async function readCheckoutSettings(database: Database, seller: Hex): Promise<CheckoutSettings | null> {
  const { origins, returnUrls, supportUrl, paymasterUrl } = checkoutSettings;
  const [row] = await database.run("read the settings of a checkout", (db) =>
    db
      .select({ origins, returnUrls, supportUrl, paymasterUrl })
      .from(checkoutSettings)
      .where(eq(checkoutSettings.seller, seller)),
  );
  return row ?? null;
}

/** Replaces all settings of a seller. */
export async function writeCheckoutSettings(
  database: Database,
  seller: Hex,
  settings: CheckoutSettings & { updatedAt: Date },
): Promise<void> {
  await database.run("store the settings of a checkout", (db) =>
    db
      .insert(checkoutSettings)
      .values({ seller, ...settings })
      .onConflictDoUpdate({ target: checkoutSettings.seller, set: settings }),
  );
}

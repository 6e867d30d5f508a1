import { and, eq } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { subscriptions } from "../schema/derived";
import { checkoutSettings } from "../schema/selling";

/** Origins whose pages may show the checkout of a plan in a frame; none for a plan that is unknown or whose seller lists none. */
export async function readFrameOrigins(
  database: Database,
  { chainId, contract, id }: { chainId: number; contract: Hex; id: Hex },
): Promise<readonly string[]> {
  const [row] = await database.run("read the frames of a checkout", (db) =>
    db
      .select({ origins: checkoutSettings.origins })
      .from(subscriptions)
      .innerJoin(checkoutSettings, eq(checkoutSettings.seller, subscriptions.provider))
      .where(and(eq(subscriptions.chainId, chainId), eq(subscriptions.contract, contract), eq(subscriptions.id, id))),
  );
  return row?.origins ?? [];
}

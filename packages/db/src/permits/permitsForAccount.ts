import { and, eq, exists, isNull } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";
import { memberships, subscriptions } from "../schema/derived";
import { permits } from "../schema/permits";
import { type FoundPermits, type PermitPage, pagePermits } from "./pagePermits";
import { isKept } from "./storePermit";

type AccountPermitQuery = ContractScope & {
  /** Lower case. */
  account: Hex;
  /**
   * `subscriber`: the permits that the account signed. `provider`: those of its active subscribers, as the event index
   * knows them, in the token that they pay it in.
   */
  role: "subscriber" | "provider";
};

/** Kept permits that an account has signed, or that subscribers of its plans have, the oldest first. */
export function permitsForAccount(
  database: Database,
  { chainId, contract, account, role }: AccountPermitQuery,
  page: PermitPage,
): Promise<FoundPermits> {
  return pagePermits(database, page, (db) => {
    const paysAccount = db
      .select({ id: memberships.subscriptionId })
      .from(memberships)
      .innerJoin(
        subscriptions,
        and(
          eq(subscriptions.chainId, memberships.chainId),
          eq(subscriptions.contract, memberships.contract),
          eq(subscriptions.id, memberships.subscriptionId),
        ),
      )
      .where(
        and(
          eq(memberships.chainId, chainId),
          eq(memberships.contract, contract),
          eq(memberships.subscriber, permits.owner),
          eq(memberships.active, true),
          eq(subscriptions.provider, account),
          eq(subscriptions.token, permits.token),
          isNull(subscriptions.cancelledBlock),
        ),
      );
    const ofAccount = role === "subscriber" ? eq(permits.owner, account) : exists(paysAccount);
    return and(isKept({ chainId, contract }), ofAccount);
  });
}

import { and, asc, eq, exists, gt, isNull, type SQL } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";
import { memberships, subscriptions } from "../schema/derived";
import { permits } from "../schema/permits";
import { isKept, type StoredPermit, toStored } from "./storePermit";

export type AccountPermitPage = ContractScope & {
  /** Lower case. */
  account: Hex;
  /**
   * `subscriber`: the permits that the account signed. `provider`: those of its active subscribers, as the event index
   * knows them, in the token that they pay it in.
   */
  role: "subscriber" | "provider";
  /** The seq of the last permit on the page before. */
  after: number;
  first: number;
};

/** Kept permits that an account has signed, or that subscribers of its plans have, the oldest first. */
export async function permitsForAccount(
  database: Database,
  { chainId, contract, account, role, after, first }: AccountPermitPage,
): Promise<StoredPermit[]> {
  const rows = await database.run("list the permits of an account", (db) => {
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
    const ofAccount: SQL = role === "subscriber" ? eq(permits.owner, account) : exists(paysAccount);
    return db
      .select()
      .from(permits)
      .where(and(isKept({ chainId, contract }), gt(permits.seq, after), ofAccount))
      .orderBy(asc(permits.seq))
      .limit(first);
  });
  return rows.map(toStored);
}

import { and, count, eq } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { indexCheckpoints } from "../schema/checkpoints";
import type { ContractScope } from "../schema/columns";
import { memberships } from "../schema/derived";

/** Accounts that the events of a subscription leave active. */
export type ActiveSubscribers = {
  /** The block that they are true for, and when it was last seen on the chain. */
  checkpoint: { number: number; hash: Hex; confirmedAt: Date };
  /** A page of them by address, lower case. */
  subscribers: Hex[];
  /** How many there are in all. */
  total: number;
};

export type SubscriberPage = ContractScope & { subscriptionId: Hex; first: number; skip: number };

/** One page of a subscription's active subscribers, as of the index's checkpoint; null while nothing is indexed. */
export async function listActiveSubscribers(
  database: Database,
  { chainId, contract, subscriptionId, first, skip }: SubscriberPage,
): Promise<ActiveSubscribers | null> {
  const { number, hash, confirmedAt } = indexCheckpoints;
  const ofContract = and(eq(indexCheckpoints.chainId, chainId), eq(indexCheckpoints.contract, contract));
  const active = and(
    eq(memberships.chainId, chainId),
    eq(memberships.contract, contract),
    eq(memberships.subscriptionId, subscriptionId),
    eq(memberships.active, true),
  );
  return database.run("list active subscribers", (db) =>
    db.transaction(
      async (transaction) => {
        const [checkpoint] = await transaction
          .select({ number, hash, confirmedAt })
          .from(indexCheckpoints)
          .where(ofContract);
        if (checkpoint === undefined) return null;
        const [all] = await transaction.select({ members: count() }).from(memberships).where(active);
        const page = await transaction
          .select({ subscriber: memberships.subscriber })
          .from(memberships)
          .where(active)
          .orderBy(memberships.subscriber)
          .limit(first)
          .offset(skip);
        return { checkpoint, subscribers: page.map(({ subscriber }) => subscriber), total: all?.members ?? 0 };
      },
      // All of it from one moment: the index moves on meanwhile.
      { isolationLevel: "repeatable read", accessMode: "read only" },
    ),
  );
}

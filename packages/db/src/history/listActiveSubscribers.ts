import { and, count, eq } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { indexCheckpoints } from "../schema/checkpoints";
import type { ContractScope } from "../schema/columns";
import { memberships } from "../schema/derived";

/** Accounts that are subscribed according to the events of a subscription. */
export type ActiveSubscribers = {
  /** The block that the list is true for, when it was last found to be on the chain, and the head that the worker last read. */
  checkpoint: { number: number; hash: Hex; confirmedAt: Date; headTimestamp: number | null };
  /** One page, ordered by address; lower case. */
  subscribers: Hex[];
  /** Number of active subscribers on all pages. */
  total: number;
};

export type SubscriberPage = ContractScope & { subscriptionId: Hex; first: number; skip: number };

/** One page of a subscription's active subscribers, as of the checkpoint of the index; null while nothing is indexed. */
export async function listActiveSubscribers(
  database: Database,
  { chainId, contract, subscriptionId, first, skip }: SubscriberPage,
): Promise<ActiveSubscribers | null> {
  const { number, hash, confirmedAt, headTimestamp } = indexCheckpoints;
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
          .select({ number, hash, confirmedAt, headTimestamp })
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
      // All three statements must see the same state while a worker writes.
      { isolationLevel: "repeatable read", accessMode: "read only" },
    ),
  );
}

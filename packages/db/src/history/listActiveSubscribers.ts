import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { type IndexAnswer, type NoState, readIndex } from "../eventIndex/readIndex";
import { fromBytes, toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/** Accounts that are subscribed according to the events of a subscription. */
export type ActiveSubscribers = {
  /** One page, ordered by address; lower case. */
  subscribers: Hex[];
  /** Number of active subscribers on all pages. */
  total: number;
};

/** One page of a subscription's active subscribers. */
export async function listActiveSubscribers(
  database: Database,
  scope: ContractScope,
  { id, first, skip }: { id: Hex; first: number; skip: number },
): Promise<IndexAnswer<ActiveSubscribers> | NoState> {
  return readIndex(database, scope, null, async (sql) => {
    const active = sql`from memberships where chain_id = ${scope.chainId} and contract = ${scope.contract}
      and subscription_id = ${toBytes(id)} and active`;
    const [all] = await sql<{ total: number }[]>`select count(*)::float8 as total ${active}`;
    const rows = await sql<{ subscriber: Uint8Array }[]>`
      select subscriber ${active} order by subscriber limit ${first} offset ${skip}`;
    return { subscribers: rows.map(({ subscriber }) => fromBytes(subscriber)), total: all?.total ?? 0 };
  });
}

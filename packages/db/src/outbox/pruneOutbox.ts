import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";

/** Events deleted in one transaction. */
const EVENTS_AT_ONCE = 10_000;

/**
 * Deletes the events that were written before a time, oldest first, and the states that no later change or rewind can need.
 *
 * @returns the number of events that were deleted
 */
export async function pruneOutbox(database: Database, scope: ContractScope, before: Date): Promise<number> {
  let deleted = 0;
  for (let count = EVENTS_AT_ONCE; count === EVENTS_AT_ONCE; deleted += count) {
    count = await pruneSome(database, scope, before.toISOString());
  }
  const { chainId, contract } = scope;
  await database.run(
    "prune states",
    () => database.sql`
      delete from outbox_states s where chain_id = ${chainId} and contract = ${contract}
        and written_at < ${before.toISOString()} and (state = 'cured' or exists (select from outbox_states newer
          where newer.chain_id = s.chain_id and newer.contract = s.contract and newer.subject = s.subject
            and newer.block_number > s.block_number and newer.written_at < ${before.toISOString()}))`,
  );
  return deleted;
}

async function pruneSome(database: Database, { chainId, contract }: ContractScope, before: string): Promise<number> {
  return database.run("prune events", () =>
    database.sql.begin(async (sql) => {
      const [counter] = await sql<{ last: number; pruned: number }[]>`
        select last_seq::float8 as last, pruned_seq::float8 as pruned from outbox_counters
        where chain_id = ${chainId} and contract = ${contract} for update`;
      if (counter === undefined) return 0;
      const ours = sql`chain_id = ${chainId} and contract = ${contract}`;
      const [kept] = await sql<{ seq: number }[]>`
        select seq::float8 as seq from outbox where ${ours} and written_at >= ${before} order by seq limit 1`;
      // Events are deleted from the oldest on, whatever their times: a clock that was wrong must not leave a gap.
      const upTo = Math.min((kept?.seq ?? counter.last + 1) - 1, counter.pruned + EVENTS_AT_ONCE);
      if (upTo <= counter.pruned) return 0;
      await sql`delete from outbox where ${ours} and seq <= ${upTo}`;
      await sql`update outbox_counters set pruned_seq = ${upTo} where ${ours}`;
      return upTo - counter.pruned;
    }),
  );
}

import type { TransactionSql } from "postgres";
import type { ContractScope } from "../schema/columns";
import type { SnapshotMessage } from "../snapshotChannel";
import { notifyChanges } from "./notifyChanges";
import { proofsOfSnapshot } from "./proofsOfSnapshot";

/**
 * Marks the snapshots that were computed or proven at `fromBlock` or later, and notifies the listeners. The stored proofs are deleted with
 * them: a new snapshot may have the content of a proof that does not hold any more.
 *
 * @returns those that were not marked before
 */
export async function orphanSnapshotsFrom(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  fromBlock: bigint,
): Promise<SnapshotMessage[]> {
  const from = fromBlock.toString();
  // The rows are locked in the order of `writeSnapshots`: two transactions in different orders can deadlock.
  const marked = await sql<{ kind: string; key: string }[]>`
    with replaced as (
      select kind, key from snapshots
      where chain_id = ${chainId} and contract = ${contract} and not orphaned and (block_number >= ${from}
        or exists (select from ${proofsOfSnapshot(sql)} where (p->'block'->>'number')::bigint >= ${from}))
      order by kind collate "C", key collate "C" for update
    )
    update snapshots s set orphaned = true from replaced r
    where s.chain_id = ${chainId} and s.contract = ${contract} and s.kind = r.kind and s.key = r.key
    returning s.kind, s.key`;
  await sql`
    delete from snapshot_confirmations
    where chain_id = ${chainId} and contract = ${contract} and block_number >= ${from}`;
  const changes = marked.map((row) => ({ chainId, contract, ...row }));
  await notifyChanges(sql, changes);
  return changes;
}

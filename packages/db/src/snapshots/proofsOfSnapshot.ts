import type { Fragment, ISql } from "postgres";
import { HASH_CHARACTERS } from "../confirmationMessage";

/** For a `from` clause of a statement on `snapshots`: the stored proofs of the row's present content, each as `p`. */
export function proofsOfSnapshot(sql: ISql): Fragment {
  return sql`(
    select each.p from snapshot_confirmations c cross join jsonb_array_elements(c.proofs) as each(p)
    where c.chain_id = snapshots.chain_id and c.contract = snapshots.contract and each.p->'snapshots' @>
      jsonb_build_array(jsonb_build_array(snapshots.kind, snapshots.key, left(snapshots.hash, ${HASH_CHARACTERS}::int)))
  ) as proofs`;
}

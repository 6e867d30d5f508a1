import { and, eq } from "drizzle-orm";
import type { SnapshotProof } from "../confirmationMessage";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";
import { snapshotConfirmations } from "../schema/snapshots";

/** The stored proofs of a contract's snapshots; null where none was stored. */
export async function readProofs(
  db: Pick<Database["db"], "select">,
  { chainId, contract }: ContractScope,
): Promise<SnapshotProof[] | null> {
  const [row] = await db
    .select({ proofs: snapshotConfirmations.proofs })
    .from(snapshotConfirmations)
    .where(and(eq(snapshotConfirmations.chainId, chainId), eq(snapshotConfirmations.contract, contract)));
  return row?.proofs ?? null;
}

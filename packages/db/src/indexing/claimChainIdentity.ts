import { eq } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { chainIdentity } from "../schema/chainFacts";

export type ChainIdentity = typeof chainIdentity.$inferSelect;

/** The database holds rows of another chain or contract under the same chain id. */
export class ForeignDatabaseError extends Error {
  override readonly name = "ForeignDatabaseError";

  constructor(
    readonly found: ChainIdentity,
    readonly expected: ChainIdentity,
  ) {
    super(
      `the database belongs to another ${differenceOf(found, expected)} for chain ${expected.chainId}: ` +
        "use an empty database (another DATABASE_URL or DATA_DIR), or correct the settings of this chain",
    );
  }
}

/**
 * Records the chain and contract that the database is used for, or checks that the recorded ones are the same. Several
 * processes may call it at once.
 *
 * @throws ForeignDatabaseError if the contract or the genesis block differs
 */
export async function claimChainIdentity(database: Database, identity: ChainIdentity): Promise<void> {
  const rows = await database.run("claim the chain's identity", async (db) => {
    await db.insert(chainIdentity).values(identity).onConflictDoNothing();
    return db.select().from(chainIdentity).where(eq(chainIdentity.chainId, identity.chainId));
  });
  const found = rows[0];
  if (found === undefined)
    throw new Error(`the identity of chain ${identity.chainId} was removed while it was claimed`);
  if (differenceOf(found, identity) !== null) throw new ForeignDatabaseError(found, identity);
}

function differenceOf(found: ChainIdentity, expected: ChainIdentity): string | null {
  if (found.contract !== expected.contract) return `contract (${found.contract}, not ${expected.contract})`;
  if (found.genesisHash !== expected.genesisHash) {
    return `chain (genesis ${found.genesisHash}, not ${expected.genesisHash})`;
  }
  return null;
}

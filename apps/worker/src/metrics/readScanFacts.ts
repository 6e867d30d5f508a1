import type { ChainConfig } from "@dueday/config/chains";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Database } from "@dueday/db/connectDatabase";
import { type Checkpoint, readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { readSnapshots } from "@dueday/db/snapshots/readSnapshots";
import { Value } from "@sinclair/typebox/value";

/** What the database holds of a chain, whichever worker wrote it. */
export type ScanFacts = {
  chainId: number;
  /** Milliseconds since 1970 at which the content of each kind was last computed or proven, as far as it is stored. */
  scannedAt: { kind: string; provenAt: number }[];
  readiness: RemitReadiness | null;
  checkpoint: Checkpoint | null;
};

/** @throws DatabaseError */
export async function readScanFacts(database: Database, chain: ChainConfig): Promise<ScanFacts> {
  const { chainId, contract } = chain;
  const [rows, checkpoint] = await Promise.all([
    readSnapshots(database, { chainId, contract, keys: [""] }),
    readCheckpoint(database, chain),
  ]);
  const readiness = rows.find(({ kind }) => kind === "readiness");
  return {
    chainId,
    scannedAt: rows.map(({ kind, computedAt, confirmedAt }) => ({
      kind,
      provenAt: (confirmedAt ?? computedAt).getTime(),
    })),
    readiness: readiness === undefined ? null : Value.Parse(RemitReadiness, JSON.parse(readiness.payload)),
    checkpoint,
  };
}

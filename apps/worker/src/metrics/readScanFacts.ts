import type { ChainConfig } from "@dueday/config/chains";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Database } from "@dueday/db/connectDatabase";
import { type Checkpoint, readCheckpoint } from "@dueday/db/queries/readCheckpoint";
import { readSnapshots } from "@dueday/db/queries/readSnapshots";
import { Value } from "@sinclair/typebox/value";

/** What the database holds of a chain, whichever worker wrote it. */
export type ScanFacts = {
  chainId: number;
  /** Milliseconds since 1970 of the newest scan of each kind. */
  scannedAt: { kind: string; computedAt: number }[];
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
    scannedAt: rows.map(({ kind, computedAt }) => ({ kind, computedAt: computedAt.getTime() })),
    readiness: readiness === undefined ? null : Value.Parse(RemitReadiness, JSON.parse(readiness.payload)),
    checkpoint,
  };
}

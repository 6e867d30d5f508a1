import { type SnapshotKind, storedKind, storedKinds } from "@dueday/core/snapshots/snapshot";
import { and, eq, inArray } from "drizzle-orm";
import { type SnapshotProof, shortHash } from "../confirmationMessage";
import type { Database } from "../connectDatabase";
import { snapshots } from "../schema/snapshots";
import { knownSnapshots } from "./knownSnapshots";
import { readProofs } from "./readProofs";
import type { Snapshot } from "./writeSnapshots";

type StoredSnapshot = typeof snapshots.$inferSelect;

export type SnapshotFilter = {
  chainId: number;
  contract: string;
  kind?: SnapshotKind;
  keys?: readonly string[];
};

/**
 * The snapshots of a contract, optionally of one kind and some keys, each at the latest stored block at which its content was proven: only
 * those of the schema versions that this process knows. Includes orphaned ones, which are marked.
 */
export async function readSnapshots(database: Database, filter: SnapshotFilter): Promise<Snapshot[]> {
  const { chainId, contract } = filter;
  const { rows, proofs } = await database.run("read snapshots", async (db) => ({
    rows: await db
      .select()
      .from(snapshots)
      .where(
        and(
          eq(snapshots.chainId, chainId),
          eq(snapshots.contract, contract),
          inArray(snapshots.kind, filter.kind === undefined ? [...storedKinds] : [storedKind(filter.kind)]),
          filter.keys === undefined ? undefined : inArray(snapshots.key, [...filter.keys]),
        ),
      )
      .orderBy(snapshots.kind, snapshots.key),
    // A proof names contents, so it fits the rows however much time lies between the two statements.
    proofs: (await readProofs(db, { chainId, contract })) ?? [],
  }));
  const stored = proofs.flatMap((proof) => proof.snapshots.map((named) => [named.join(" "), proof] as const));
  const proofOf = new Map(stored);
  return knownSnapshots(
    rows.map((row) => atItsProof(row, proofOf.get([row.kind, row.key, shortHash(row.hash)].join(" ")))),
  );
}

/** A row at the latest block at which its content was proven. */
function atItsProof(row: StoredSnapshot, proof: SnapshotProof | undefined) {
  if (proof === undefined || row.orphaned || BigInt(proof.block.number) < row.blockNumber) {
    return { ...row, confirmedAt: null };
  }
  const { number, hash, timestamp, timestampMs = null } = proof.block;
  const times = { blockTimestamp: timestamp, blockTimestampMs: timestampMs };
  return { ...row, ...times, blockNumber: BigInt(number), blockHash: hash, confirmedAt: new Date(proof.confirmedAt) };
}

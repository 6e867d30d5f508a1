import { type SnapshotKind, storedKind } from "@dueday/core/snapshots/snapshot";
import { and, eq, sql } from "drizzle-orm";
import { type ConfirmationMessage, type SnapshotProof, shortHash } from "../confirmationMessage";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";
import { snapshotConfirmations, snapshots } from "../schema/snapshots";
import { SNAPSHOT_CHANNEL } from "../snapshotChannel";
import { readProofs } from "./readProofs";

/** A snapshot by its place and the hash of its content. */
export type SnapshotContent = { kind: SnapshotKind; key: string; hash: string };

export type Confirmation = {
  chainId: number;
  contract: string;
  /** The block at which the content of `snapshots` was proven. */
  block: { number: bigint; hash: `0x${string}`; timestamp: bigint; timestampMs?: number | undefined };
  /** The current time. */
  confirmedAt: Date;
  snapshots: readonly SnapshotContent[];
};

/** The proofs are stored again when the stored proof of a content is at least this old: an idle chain writes one row once a minute. */
const STORE_EVERY_MS = 60_000;

/**
 * Announces that the contents of snapshots hold at a later block. The stored proofs follow at most once a minute, so that a process that
 * starts later knows them too. Proofs of snapshots that are orphaned, or whose content has changed since, are not stored.
 */
export async function confirmSnapshots(
  database: Database,
  { chainId, contract, block, confirmedAt, snapshots: named }: Confirmation,
): Promise<void> {
  if (named.length === 0) return;
  const proof: SnapshotProof = {
    confirmedAt: confirmedAt.toISOString(),
    block: {
      number: block.number.toString(),
      hash: block.hash,
      timestamp: Number(block.timestamp),
      ...(block.timestampMs !== undefined && { timestampMs: block.timestampMs }),
    },
    snapshots: named.map(({ kind, key, hash }) => [storedKind(kind), key, shortHash(hash)]),
  };
  const message: ConfirmationMessage = { chainId, contract, ...proof };
  await database.run("confirm snapshots", (db) =>
    db.transaction(async (transaction) => {
      await storeProof(transaction, { chainId, contract }, proof);
      await transaction.execute(sql`select pg_notify(${SNAPSHOT_CHANNEL}, ${JSON.stringify(message)})`);
    }),
  );
}

/** What is known of a stored content: when it was proven last, and at which block. */
type Standing = { block: bigint; provenAtMs: number };

/**
 * Adds a proof to the stored ones, if they are old enough. Of two that are added at the same time, one may be lost; the next one
 * follows a minute later.
 */
async function storeProof(
  transaction: Pick<Database["db"], "select" | "insert">,
  scope: ContractScope,
  proof: SnapshotProof,
): Promise<void> {
  const stored = await readProofs(transaction, scope);
  const standings = await readStandings(transaction, scope, stored ?? []);
  const moved = new Set(proof.snapshots.map(nameOf).filter((name) => isBelow(standings.get(name), proof)));
  const nowMs = Date.parse(proof.confirmedAt);
  const isOld = (name: string) => Math.abs(nowMs - (standings.get(name)?.provenAtMs ?? nowMs)) >= STORE_EVERY_MS;
  if (![...moved].some(isOld)) return;
  const kept = (stored ?? []).map((earlier) => ({
    ...earlier,
    snapshots: earlier.snapshots.filter((named) => standings.has(nameOf(named)) && !moved.has(nameOf(named))),
  }));
  const newest = { ...proof, snapshots: proof.snapshots.filter((named) => moved.has(nameOf(named))) };
  const proofs = [...kept, newest].filter(({ snapshots: contents }) => contents.length > 0);
  const highest = Math.max(...proofs.map(({ block }) => Number(block.number)));
  const values = { proofs, blockNumber: BigInt(highest) };
  await transaction
    .insert(snapshotConfirmations)
    .values({ ...scope, ...values })
    .onConflictDoUpdate({ target: [snapshotConfirmations.chainId, snapshotConfirmations.contract], set: values });
}

async function readStandings(
  transaction: Pick<Database["db"], "select" | "insert">,
  { chainId, contract }: ContractScope,
  proofs: readonly SnapshotProof[],
): Promise<Map<string, Standing>> {
  const { kind, key, hash, blockNumber, computedAt } = snapshots;
  const rows = await transaction
    .select({ kind, key, hash, blockNumber, computedAt })
    .from(snapshots)
    .where(and(eq(snapshots.chainId, chainId), eq(snapshots.contract, contract), eq(snapshots.orphaned, false)));
  const standings = new Map<string, Standing>();
  for (const row of rows) {
    const name = nameOf([row.kind, row.key, shortHash(row.hash)]);
    standings.set(name, { block: row.blockNumber, provenAtMs: row.computedAt.getTime() });
  }
  for (const { block, confirmedAt, snapshots: contents } of proofs) {
    for (const name of contents.map(nameOf)) {
      const standing = standings.get(name);
      if (standing === undefined || standing.block > BigInt(block.number)) continue;
      standings.set(name, { block: BigInt(block.number), provenAtMs: Date.parse(confirmedAt) });
    }
  }
  return standings;
}

function isBelow(standing: Standing | undefined, { block }: SnapshotProof): boolean {
  return standing !== undefined && standing.block < BigInt(block.number);
}

function nameOf(named: SnapshotProof["snapshots"][number]): string {
  return named.join(" ");
}

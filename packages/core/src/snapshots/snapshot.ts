import { type Static, Type } from "@sinclair/typebox";
import { Bytes32, Count, IntegerString } from "../schema";
import { ApprovedTokens } from "./approvedTokens";
import { DueDayHead } from "./dueDay";
import { ProtocolState } from "./protocolState";
import { RemitReadiness } from "./remitReadiness";

/** Kinds of snapshots. `due` has one snapshot for each day, with the day number as its key; the others have the key "". */
export const SnapshotKind = Type.Union([
  Type.Literal("protocol"),
  Type.Literal("tokens"),
  Type.Literal("due"),
  Type.Literal("readiness"),
]);
export type SnapshotKind = Static<typeof SnapshotKind>;

/** What a snapshot of each kind holds. */
export const snapshotSchemas = {
  protocol: ProtocolState,
  tokens: ApprovedTokens,
  due: DueDayHead,
  readiness: RemitReadiness,
} as const satisfies Record<SnapshotKind, unknown>;

/**
 * Version of each schema. Raise it with every change of the schema: workers and APIs of different releases then write and read
 * different rows, and neither release has to understand the other's.
 */
const versions: Readonly<Record<SnapshotKind, number>> = { protocol: 3, tokens: 2, due: 6, readiness: 10 };

/** The kind as it is stored, with the version that this code writes and reads: `due.v` followed by the version. */
export function storedKind(kind: SnapshotKind): string {
  return `${kind}.v${versions[kind]}`;
}

// Object.keys is typed as string[]; the keys are exactly the kinds.
const kinds = Object.keys(versions) as SnapshotKind[];
const kindsByStored = new Map(kinds.map((kind) => [storedKind(kind), kind]));

/** Every kind as it is stored. */
export const storedKinds: readonly string[] = [...kindsByStored.keys()];

/** The kind of a stored row; null for one that another version has written. */
export function kindOfStored(stored: string): SnapshotKind | null {
  return kindsByStored.get(stored) ?? null;
}

/** The block that a snapshot or a live answer is true for. */
export const BlockStamp = Type.Object({
  blockNumber: IntegerString,
  blockHash: Bytes32,
  blockTimestamp: Count,
  timestampMs: Type.Optional(Count),
});
export type BlockStamp = Static<typeof BlockStamp>;

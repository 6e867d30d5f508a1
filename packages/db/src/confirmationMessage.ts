import { Bytes32 } from "@dueday/core/schema";
import { type Static, Type } from "@sinclair/typebox";

const Scope = { chainId: Type.Integer(), contract: Type.String() };

const Proof = {
  /** ISO 8601: the time of the proof. */
  confirmedAt: Type.String({ maxLength: 32 }),
  block: Type.Object({
    number: Type.String({ pattern: "^[0-9]{1,16}$" }),
    hash: Bytes32,
    /** Unix seconds. */
    timestamp: Type.Integer({ minimum: 0 }),
    /** Unix milliseconds, where the node shows them. */
    timestampMs: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  /** Stored kind, key, and the beginning of the hash of the content that was proven. */
  snapshots: Type.Array(Type.Tuple([Type.String(), Type.String(), Type.String()])),
};

/** Proves that the contents of some snapshots hold at a block. */
export const SnapshotProof = Type.Object(Proof);
export type SnapshotProof = Static<typeof SnapshotProof>;

/** Announces a proof of a contract's snapshots. Until the proofs are stored again, at most a minute later, only this message contains it. */
export const ConfirmationMessage = Type.Object({ ...Scope, ...Proof });
export type ConfirmationMessage = Static<typeof ConfirmationMessage>;

/** Announces that the blocks from `orphanedFrom` on were replaced: what was proven at them is no longer true. */
export const WithdrawalMessage = Type.Object({ ...Scope, orphanedFrom: Type.String({ pattern: "^[0-9]{1,16}$" }) });
export type WithdrawalMessage = Static<typeof WithdrawalMessage>;

/** A NOTIFY takes 8,000 bytes: the rows of one scan have to fit in one message. */
export const HASH_CHARACTERS = 16;

/** The beginning of a content's hash, by which a confirmation names the content. */
export function shortHash(hash: string): string {
  return hash.slice(0, HASH_CHARACTERS);
}

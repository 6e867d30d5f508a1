import { type Static, Type } from "@sinclair/typebox";
import { Bytes32, IntegerString } from "../schema";

/** What the worker keeps ready. `due` has one snapshot for each day, keyed by the day number; the others have the key "". */
export const SnapshotKind = Type.Union([
  Type.Literal("protocol"),
  Type.Literal("tokens"),
  Type.Literal("due"),
  Type.Literal("readiness"),
]);
export type SnapshotKind = Static<typeof SnapshotKind>;

/** The block that a snapshot or a live answer is true for. */
export const BlockStamp = Type.Object({
  blockNumber: IntegerString,
  blockHash: Bytes32,
  blockTimestamp: Type.Integer({ minimum: 0 }),
});
export type BlockStamp = Static<typeof BlockStamp>;

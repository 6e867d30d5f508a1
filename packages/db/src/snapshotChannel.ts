import type { SnapshotKind } from "@dueday/core/snapshots/snapshot";
import { type Static, Type } from "@sinclair/typebox";

/** The NOTIFY channel on which workers announce changed snapshots, confirmations and their withdrawal, heads, and their own state. */
export const SNAPSHOT_CHANNEL = "dueday_snapshots";

/** Identifies the row that changed; its content is read from the table. `kind` is the stored one, with its version. */
export const SnapshotMessage = Type.Object({
  chainId: Type.Integer(),
  contract: Type.String(),
  kind: Type.String(),
  key: Type.String(),
});
export type SnapshotMessage = Static<typeof SnapshotMessage>;

/** A changed snapshot of a schema version that this process knows. */
export type SnapshotChange = Omit<SnapshotMessage, "kind"> & { kind: SnapshotKind };

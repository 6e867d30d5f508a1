import { type Static, Type } from "@sinclair/typebox";

/** The NOTIFY channel that announces changed snapshots. */
export const SNAPSHOT_CHANNEL = "dueday_snapshots";

/** Identifies the snapshot that changed; its content is read from the table. */
export const SnapshotChange = Type.Object({
  chainId: Type.Integer(),
  contract: Type.String(),
  kind: Type.String(),
  key: Type.String(),
});
export type SnapshotChange = Static<typeof SnapshotChange>;

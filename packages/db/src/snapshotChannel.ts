import { type Static, Type } from "@sinclair/typebox";

/** The channel that changes of snapshots are told on. */
export const SNAPSHOT_CHANNEL = "dueday_snapshots";

/** Which snapshot changed; what it holds is read from the table. */
export const SnapshotChange = Type.Object({
  chainId: Type.Integer(),
  contract: Type.String(),
  kind: Type.String(),
  key: Type.String(),
});
export type SnapshotChange = Static<typeof SnapshotChange>;

import type { ApprovedTokens } from "@dueday/core/snapshots/approvedTokens";
import type { DueDayHead, DuePage } from "@dueday/core/snapshots/dueDay";
import type { ProtocolState } from "@dueday/core/snapshots/protocolState";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { SnapshotKind } from "@dueday/core/snapshots/snapshot";

/** The payload of each kind of snapshot. */
export type SnapshotPayload = {
  protocol: ProtocolState;
  tokens: ApprovedTokens;
  due: DueDayHead;
  readiness: RemitReadiness;
};

export type SnapshotViewOf<K extends SnapshotKind> = {
  kind: K;
  /** The day number for `due`, else empty. */
  key: string;
  /** The answer must be of the state at this block, which may be that of a replaced snapshot. Default: the newest. */
  atBlock?: bigint;
  /** Name of this view among all views of the snapshot, from operation and query. Equal variants have equal bytes. */
  variant: string;
  /** The hashes of the stored pages that `present` takes. Default: none. */
  pages?(payload: SnapshotPayload[K]): readonly string[];
  /** The answer without `chainId` and `asOf`, which are added unless `bare`. */
  present(payload: SnapshotPayload[K], pages: ReadonlyMap<string, DuePage>): object;
  /** The answer is not about a chain; it only uses the snapshot's ETag and staleness. */
  bare?: true;
};

/** One answer made from a snapshot: an operation with its query resolved. */
export type SnapshotView = { [K in SnapshotKind]: SnapshotViewOf<K> }[SnapshotKind];

import { kindOfStored, type SnapshotKind } from "@dueday/core/snapshots/snapshot";

/** The rows of the schema versions that this process knows, with their kinds. Rows of other versions are dropped. */
export function knownSnapshots<T extends { kind: string }>(
  rows: readonly T[],
): (Omit<T, "kind"> & { kind: SnapshotKind })[] {
  return rows.flatMap((row) => {
    const kind = kindOfStored(row.kind);
    return kind === null ? [] : [{ ...row, kind }];
  });
}

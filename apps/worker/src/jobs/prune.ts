import { readHead } from "@dueday/chain/block/readHead";
import { pruneSnapshots } from "@dueday/db/queries/pruneSnapshots";
import { pruneSnapshotVersions } from "@dueday/db/queries/pruneSnapshotVersions";
import type { ChainContext } from "../context";
import { scannedDays } from "./scannedDays";

/** A worker of another release that has not written its versions for so long is taken to be gone. */
const OTHER_VERSIONS_KEPT_MS = 24 * 3_600_000;

/** Deletes the due lists of days that are no longer scanned, and the snapshots of schema versions that nobody writes any more. */
export async function prune({ chain, client, database, clock }: ChainContext): Promise<void> {
  const { chainId, contract } = chain;
  const keep = scannedDays(await readHead(client)).map(String);
  await pruneSnapshots(database, { chainId, contract, kind: "due", keep });
  await pruneSnapshotVersions(database, { chainId, contract, before: new Date(clock() - OTHER_VERSIONS_KEPT_MS) });
}

import { readHead } from "@dueday/chain/block/readHead";
import { pruneSnapshots } from "@dueday/db/queries/pruneSnapshots";
import type { ChainContext } from "../context";
import { scannedDays } from "./scannedDays";

/** Deletes the due lists of days that are no longer scanned: they would only grow stale. */
export async function pruneDueLists({ chain, client, database }: ChainContext): Promise<void> {
  const { chainId, contract } = chain;
  const keep = scannedDays(await readHead(client)).map(String);
  await pruneSnapshots(database, { chainId, contract, kind: "due", keep });
}

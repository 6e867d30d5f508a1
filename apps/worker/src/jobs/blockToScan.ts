import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { isPinnable, pinBlock } from "@dueday/chain/block/pinBlock";
import { ServiceError } from "@dueday/core/errors";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { SnapshotKind } from "@dueday/core/snapshots/snapshot";
import { readSnapshots } from "@dueday/db/snapshots/readSnapshots";
import type { Snapshot } from "@dueday/db/snapshots/writeSnapshots";
import type { ChainContext } from "../context";
import type { JobRequest } from "./job";

/**
 * The block to scan, or null where the snapshot `kind` has reached the requested block already: several workers may see the
 * same new block, and one scan serves all requests that came before it.
 *
 * @throws ServiceError, retryable, when the node is behind the requested block.
 */
export async function blockToScan(
  context: ChainContext,
  kind: SnapshotKind,
  { atLeastBlock }: JobRequest,
): Promise<ChainBlock | null> {
  const { chain, database, scans } = context;
  if (atLeastBlock === null) return newestBlock(context, 0n);
  const { chainId, contract } = chain;
  const [snapshot] = await readSnapshots(database, { chainId, contract, kind, keys: [""] });
  const isThere = snapshot !== undefined && !snapshot.orphaned && snapshot.blockNumber >= atLeastBlock;
  // Only a process that has not finished a plan yet can meet the beginning of one.
  if (isThere && (scans.plan !== null || !isBeginning(snapshot))) return null;
  const block = await newestBlock(context, atLeastBlock);
  if (block.number >= atLeastBlock) return block;
  throw new ServiceError("UPSTREAM_UNAVAILABLE", "The node is behind the block to be scanned", {
    details: { head: block.number.toString(), wanted: atLeastBlock.toString() },
  });
}

/** Whether a scan has published the beginning of a plan and may have ended before it had the rest. */
function isBeginning({ kind, payload }: Snapshot): boolean {
  if (kind !== "readiness") return false;
  // A worker has written it, under the version of this schema.
  const { plan } = JSON.parse(payload) as RemitReadiness;
  return !plan.complete;
}

/** The follower's head, which costs no request, if it is high enough and can be pinned; else the node's. */
async function newestBlock({ client, head }: ChainContext, atLeastBlock: bigint): Promise<ChainBlock> {
  const known = head();
  if (known === null || known.number < atLeastBlock || !isPinnable(known)) return pinBlock(client);
  const { number, hash, timestamp, baseFeePerGas, gasLimit } = known;
  return { number, hash, timestamp, baseFeePerGas, gasLimit };
}

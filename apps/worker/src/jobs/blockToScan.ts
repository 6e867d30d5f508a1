import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { pinBlock } from "@dueday/chain/block/pinBlock";
import { ServiceError } from "@dueday/core/errors";
import type { SnapshotKind } from "@dueday/core/snapshots/snapshot";
import { readSnapshots } from "@dueday/db/queries/readSnapshots";
import type { ChainContext } from "../context";
import type { JobRequest } from "./job";

/**
 * The block to scan, or null where the snapshot `kind` has reached the requested block already: several workers may see the
 * same new block, and one scan serves all requests that came before it.
 *
 * @throws ServiceError, retryable, when the node is behind the requested block.
 */
export async function blockToScan(
  { chain, client, database }: ChainContext,
  kind: SnapshotKind,
  { atLeastBlock }: JobRequest,
): Promise<ChainBlock | null> {
  if (atLeastBlock === null) return pinBlock(client);
  const { chainId, contract } = chain;
  const [snapshot] = await readSnapshots(database, { chainId, contract, kind, keys: [""] });
  if (snapshot !== undefined && !snapshot.orphaned && snapshot.blockNumber >= atLeastBlock) return null;
  const block = await pinBlock(client);
  if (block.number >= atLeastBlock) return block;
  throw new ServiceError("UPSTREAM_UNAVAILABLE", "The node is behind the block to be scanned", {
    details: { head: block.number.toString(), wanted: atLeastBlock.toString() },
  });
}

import { parseBlock } from "@dueday/chain/block/parseBlock";
import type { Rpc } from "@dueday/chain/client/createChainClient";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import type { IndexedBlock } from "@dueday/db/eventIndex/indexedLog";
import { numberToHex } from "viem";

/** A block's header, with the hash of its parent. */
export type Header = ReturnType<typeof parseBlock>;

/**
 * The header of a block.
 *
 * @throws ServiceError when the node does not have it (yet).
 */
export async function readHeader(rpc: Rpc, block: number | "latest"): Promise<Header> {
  const parameter = block === "latest" ? block : numberToHex(block);
  return parseBlock(await rpc("eth_getBlockByNumber", [parameter, false]));
}

/** The headers of these blocks, requested in one tick and so in one batch where the node accepts batches. */
export function readHeaders(rpc: Rpc, numbers: readonly number[]): Promise<Header[]> {
  return settleAll(numbers.map((number) => readHeader(rpc, number)));
}

/** The results of all, when each has ended: after a failure, a retry with fewer calls must not wait behind calls that still run. */
export async function settleAll<T>(results: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(results);
  return Promise.all(results);
}

/** A header in the form that the index stores. */
export function toIndexedBlock({ number, hash, timestamp, timestampMs }: Header): IndexedBlock {
  const block = { number: Number(number), hash: toLowerCase(hash), timestamp: Number(timestamp) };
  return timestampMs === undefined ? block : { ...block, timestampMs };
}

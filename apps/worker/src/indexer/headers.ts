import { parseBlock } from "@dueday/chain/block/parseBlock";
import type { Rpc } from "@dueday/chain/client/createRpc";
import type { IndexedBlock } from "@dueday/db/index/indexedLog";
import { type Hex, numberToHex } from "viem";

/** A block's header, with the block it stands on. */
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

/** The headers of these blocks, asked for in one tick and so in one request where the node takes batches. */
export function readHeaders(rpc: Rpc, numbers: readonly number[]): Promise<Header[]> {
  return Promise.all(numbers.map((number) => readHeader(rpc, number)));
}

/** A header as the index keeps it. */
export function toIndexedBlock({ number, hash, timestamp }: Header): IndexedBlock {
  return { number: Number(number), hash: hash.toLowerCase() as Hex, timestamp: Number(timestamp) }; // 0x stays 0x
}

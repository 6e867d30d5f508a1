import { parseBlock } from "@dueday/chain/block/parseBlock";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { IndexedBlock } from "@dueday/db/eventIndex/indexedLog";
import { numberToHex } from "viem";

/**
 * A block of the chain in the form of the index.
 *
 * @throws ServiceError UPSTREAM_* where the node fails or does not have it
 */
export async function readIndexedBlock(client: ChainClient, number: number): Promise<IndexedBlock> {
  try {
    const { hash, timestamp, timestampMs } = parseBlock(
      await client.rpc("eth_getBlockByNumber", [numberToHex(number), false]),
    );
    return { number, hash, timestamp: Number(timestamp), ...(timestampMs !== undefined && { timestampMs }) };
  } catch (error) {
    throw asServiceError(error);
  }
}

import type { ChainClient } from "../client/createChainClient";
import { readHead } from "./readHead";

export type WaitForBlockParameters = {
  /** The block to wait for. */
  number: bigint;
  /** How long to wait at most. */
  timeoutMs: number;
};

/** Between two reads of the head. */
const POLL_MS = 200;

/**
 * Waits until a node of the chain has the block, bounded by a deadline. A block that another answer has already shown costs no
 * request.
 *
 * @returns Whether the block is known; false when the deadline has passed.
 * @throws ServiceError UPSTREAM_* where no node answers.
 */
export async function waitForBlock(
  client: ChainClient,
  { number, timeoutMs }: WaitForBlockParameters,
): Promise<boolean> {
  const { clock, highestBlock } = client.endpoints;
  const deadline = clock() + timeoutMs;
  const isKnown = () => (highestBlock() ?? -1n) >= number;
  while (!isKnown()) {
    await readHead(client);
    const leftMs = deadline - clock();
    if (isKnown()) return true;
    if (leftMs <= 0) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.min(POLL_MS, leftMs)));
  }
  return true;
}

import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { ServiceError } from "@dueday/core/errors";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import type { ChainBlock } from "./chainBlock";
import { parseBlock } from "./parseBlock";

/** Blocks may share a second. Where this number of blocks or more lie in the last second of a day, the caller has to try again. */
const MOST_STEPS = 32;

/**
 * The block to pin an answer on: the latest that is not in the last second of a UTC day. A simulation runs at least a second
 * after its block, and has to see the same "today" as the answer.
 *
 * @throws ServiceError UPSTREAM_*
 */
export async function pinBlock(client: ChainClient): Promise<ChainBlock> {
  try {
    let answer = await client.rpc("eth_getBlockByNumber", ["latest", false]);
    for (let step = 0; step < MOST_STEPS; step++) {
      const { parentHash, ...block } = parseBlock(answer);
      if (isPinnable(block)) return block;
      answer = await client.rpc("eth_getBlockByHash", [parentHash, false]);
    }
  } catch (error) {
    throw explainRefusal(error);
  }
  throw new ServiceError(
    "UPSTREAM_UNAVAILABLE",
    "The chain's latest blocks are in the last second of a UTC day; try again in a second",
    {
      headers: { "Retry-After": "1" },
    },
  );
}

/** Whether an answer may be pinned on a block: it is not in the last second of a UTC day, or it is block 0, before which there is none. */
export function isPinnable({ number, timestamp }: Pick<ChainBlock, "number" | "timestamp">): boolean {
  return number === 0n || dayNumber(timestamp + 1n) === dayNumber(timestamp);
}

import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import type { ChainBlock } from "./chainBlock";
import { parseBlock } from "./parseBlock";

/**
 * The block to pin an answer on: the head, or its parent where one second after the head is already the next UTC day. A
 * simulation runs at least a second after its block, and has to see the same "today" as the answer.
 */
export async function pinBlock(client: ChainClient): Promise<ChainBlock> {
  try {
    const { parentHash, ...head } = parseBlock(await client.rpc("eth_getBlockByNumber", ["latest", false]));
    if (head.number === 0n || dayNumber(head.timestamp + 1n) === dayNumber(head.timestamp)) return head;
    const { parentHash: _, ...parent } = parseBlock(await client.rpc("eth_getBlockByHash", [parentHash, false]));
    return parent;
  } catch (error) {
    throw explainRefusal(error);
  }
}

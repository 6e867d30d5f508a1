import type { Hex } from "viem";
import { toEventSelector } from "viem";
import type { EventLog } from "./decodeProtocolEvent";
import { orNull, toAddress, topicAt, toUint256, wordAt } from "./readWords";

/** An ERC-20 event. Addresses are lower case; `value` is in token units. */
export type TokenEvent =
  | { event: "Transfer"; from: Hex; to: Hex; value: bigint }
  | { event: "Approval"; owner: Hex; spender: Hex; value: bigint };

const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
const APPROVAL = toEventSelector("Approval(address,address,uint256)");

/**
 * Decodes an ERC-20 Transfer or Approval. The log's address is not checked.
 *
 * @returns null for any other log, an ERC-721 one included (it indexes the token id and has no data). Never throws.
 */
export function decodeTokenEvent({ topics, data }: EventLog): TokenEvent | null {
  const [topic] = topics;
  if (topic !== TRANSFER && topic !== APPROVAL) return null;
  return orNull(() => {
    const [first, second] = [toAddress(topicAt(topics, 1)), toAddress(topicAt(topics, 2))];
    const value = toUint256(wordAt(data, 0));
    return topic === TRANSFER
      ? { event: "Transfer", from: first, to: second, value }
      : { event: "Approval", owner: first, spender: second, value };
  });
}

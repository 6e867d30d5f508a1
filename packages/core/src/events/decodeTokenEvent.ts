import { type Hex, toEventSelector } from "viem";
import type { EventLog } from "./decodeProtocolEvent";
import { checkHex, orNull, toAddress, topicAt, toUint256, wordAt } from "./readWords";

/** An ERC-20 event. Addresses are lower case; `value` is in token units. */
export type TokenEvent =
  | { event: "Transfer"; from: Hex; to: Hex; value: bigint }
  | { event: "Approval"; owner: Hex; spender: Hex; value: bigint };

const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
const APPROVAL = toEventSelector("Approval(address,address,uint256)");

/** First topics of the two events: the filter of eth_getLogs. */
export const tokenEventTopics: readonly Hex[] = [TRANSFER, APPROVAL];

const INDEXED_TOPICS = 3;
const WORD_BYTES = 32;

/**
 * Whether a log has the signature of Transfer or Approval but not the size of their three arguments: 96 bytes of further topics and
 * data together, whichever arguments are indexed (ERC-721 indexes all). No compiler makes such a log, but any contract can emit it.
 */
export function isOddTokenEvent({ topics, data }: EventLog): boolean {
  const [topic] = topics;
  if (topic === undefined || !tokenEventTopics.includes(topic)) return false;
  return (topics.length - 1) * WORD_BYTES + (data.length - 2) / 2 !== 3 * WORD_BYTES;
}

/**
 * Decodes an ERC-20 Transfer or Approval. The log's address is not checked.
 *
 * @returns null for any other log, an ERC-721 one included (it indexes the token id and has no data). Never throws.
 */
export function decodeTokenEvent({ topics, data }: EventLog): TokenEvent | null {
  const [topic] = topics;
  if ((topic !== TRANSFER && topic !== APPROVAL) || topics.length !== INDEXED_TOPICS) return null;
  return orNull(() => {
    const [first, second] = [toAddress(topicAt(topics, 1)), toAddress(topicAt(topics, 2))];
    const value = toUint256(wordAt(checkHex(data), 0));
    return topic === TRANSFER
      ? { event: "Transfer", from: first, to: second, value }
      : { event: "Approval", owner: first, spender: second, value };
  });
}

import { type Hex, toEventSelector } from "viem";
import { protocolAbi } from "../abi/protocol";
import { subLogNames } from "./eventNames";
import type { IndexedEvent } from "./indexedEvent";
import { LayoutError, textAt, toAddress, toBoolean, topicAt, toUint40, toUint256, wordAt } from "./readWords";

/** Topics and data of a log, as a node answers them. */
export type EventLog = { topics: readonly Hex[]; data: Hex };

/** First topics of the six events: the filter of `eth_getLogs`. */
export const eventSelectors: readonly Hex[] = protocolAbi
  .filter((item) => item.type === "event")
  .map((item) => toEventSelector(item));

const decoders = new Map<string, (log: EventLog) => IndexedEvent>(
  protocolAbi
    .filter((item) => item.type === "event")
    .map((item) => [toEventSelector(item), layouts()[item.name]] as const),
);

/**
 * Decodes one of the protocol's six events straight from its known layout, many times faster than by an ABI. Texts are as
 * they came: `cleanText` is the caller's.
 *
 * @returns null for any other log, and for one whose topics or data do not have the layout. Never throws.
 */
export function decodeIndexedEvent(log: EventLog): IndexedEvent | null {
  const decode = decoders.get(log.topics[0] ?? "");
  if (decode === undefined) return null;
  try {
    return decode(log);
  } catch (error) {
    // fromHex throws a SyntaxError for a text whose characters are no hex.
    if (error instanceof LayoutError || error instanceof SyntaxError) return null;
    throw error;
  }
}

type EventName = IndexedEvent["event"];

function layouts(): Record<EventName, (log: EventLog) => IndexedEvent> {
  return {
    SubLog: ({ topics, data }) => ({
      event: "SubLog",
      id: `0x${topicAt(topics, 1)}`,
      provider: toAddress(topicAt(topics, 2)),
      subscriber: toAddress(topicAt(topics, 3)),
      timestamp: toUint40(wordAt(data, 0)),
      amount: toUint256(wordAt(data, 1)),
      token: toAddress(wordAt(data, 2)),
      code: toCode(wordAt(data, 3)),
    }),
    DetailsLog: ({ topics, data }) => ({
      event: "DetailsLog",
      id: `0x${topicAt(topics, 1)}`,
      provider: toAddress(topicAt(topics, 2)),
      timestamp: toUint40(topicAt(topics, 3)),
      url: textAt(data, 0),
      description: textAt(data, 1),
    }),
    ProvDetailsLog: ({ topics, data }) => ({
      event: "ProvDetailsLog",
      provider: toAddress(topicAt(topics, 1)),
      timestamp: toUint40(topicAt(topics, 2)),
      description: textAt(data, 0),
      company: textAt(data, 1),
      url: textAt(data, 2),
      domain: textAt(data, 3),
      email: textAt(data, 4),
      misc: textAt(data, 5),
    }),
    CallerLog: ({ topics, data }) => ({
      event: "CallerLog",
      timestamp: toUint40(topicAt(topics, 1)),
      checkedDay: toUint40(topicAt(topics, 2)),
      caller: toAddress(topicAt(topics, 3)),
      isFinished: toBoolean(wordAt(data, 0)),
    }),
    Coordinates: ({ topics, data }) => ({
      event: "Coordinates",
      id: `0x${topicAt(topics, 1)}`,
      nextUncheckedDay: toUint40(topicAt(topics, 2)),
      subscriberIndex: toUint256(wordAt(data, 0)),
      subscriptionIndex: toUint256(wordAt(data, 1)),
      frequency: toUint256(wordAt(data, 2)),
    }),
    UList: ({ topics }) => ({
      event: "UList",
      timestamp: toUint40(topicAt(topics, 1)),
      id: `0x${topicAt(topics, 2)}`,
      subscriber: toAddress(topicAt(topics, 3)),
    }),
  };
}

function toCode(word: string): number {
  const code = toUint40(word);
  if (code >= subLogNames.length) throw new LayoutError("a SubscriptEvent is 0..9");
  return code;
}

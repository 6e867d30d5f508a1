import { type Address, type Hex, toEventSelector } from "viem";
import { protocolAbi } from "../abi/protocol";
import type { ProtocolEvent } from "./protocolEvent";
import {
  bytes32At,
  checkHex,
  LayoutError,
  orNull,
  textAt,
  toAddress,
  toBoolean,
  topicAt,
  toUint40,
  toUint256,
  wordAt,
} from "./readWords";
import { subLogEvents } from "./subLogEvents";

/** A log as a node returns it, in a receipt, a simulation or an answer of eth_getLogs. */
export type RawLog = { address: Address; topics: readonly Hex[]; data: Hex };

/** The part of a log that an event is decoded from. */
export type EventLog = Pick<RawLog, "topics" | "data">;

type Name = ProtocolEvent["event"];
type Decoders = { [K in Name]: (log: EventLog) => Extract<ProtocolEvent, { event: K }> };

/** The six events. They have fixed layouts, so each is read word by word, many times faster than through the ABI. */
const decoders: Decoders = {
  SubLog: ({ topics, data }) => ({
    event: "SubLog",
    id: bytes32At(topics, 1),
    provider: toAddress(topicAt(topics, 2)),
    subscriber: toAddress(topicAt(topics, 3)),
    timestamp: toUint40(wordAt(data, 0)),
    amount: toUint256(wordAt(data, 1)),
    token: toAddress(wordAt(data, 2)),
    code: toSubLogCode(wordAt(data, 3)),
  }),
  DetailsLog: ({ topics, data }) => ({
    event: "DetailsLog",
    id: bytes32At(topics, 1),
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
    id: bytes32At(topics, 1),
    subscriberIndex: toUint256(wordAt(data, 0)),
    subscriptionIndex: toUint256(wordAt(data, 1)),
    frequency: toUint256(wordAt(data, 2)),
    nextUncheckedDay: toUint40(topicAt(topics, 2)),
  }),
  UList: ({ topics }) => ({
    event: "UList",
    timestamp: toUint40(topicAt(topics, 1)),
    id: bytes32At(topics, 2),
    subscriber: toAddress(topicAt(topics, 3)),
  }),
};

type Layout = { topics: number; decode: Decoders[Name] };

const layoutByTopic = new Map<string, Layout>(
  protocolAbi
    .filter((item) => item.type === "event")
    .map((item) => [
      toEventSelector(item),
      { topics: 1 + item.inputs.filter((input) => "indexed" in input).length, decode: decoders[item.name] },
    ]),
);

/** First topics of the six events: the filter of eth_getLogs. */
export const protocolEventTopics = [...layoutByTopic.keys()] as Hex[]; // keys are typed as text, for look-ups by any topic

/**
 * Decodes one of the protocol's six events. The log's address is not checked. Texts are returned as emitted; clean them with
 * `cleanText` before they are shown.
 *
 * @returns null for any other log, and for one whose topics or data do not have the event's layout. Never throws.
 */
export function decodeProtocolEvent(log: EventLog): ProtocolEvent | null {
  const layout = layoutByTopic.get(log.topics[0] ?? "");
  if (layout === undefined || log.topics.length !== layout.topics) return null;
  return orNull(() => layout.decode({ topics: log.topics, data: checkHex(log.data) }));
}

/** Whether a log has the first topic of one of the six events, and not its layout. The protocol emits no such log. */
export function isBrokenProtocolEvent(log: EventLog): boolean {
  return layoutByTopic.has(log.topics[0] ?? "") && decodeProtocolEvent(log) === null;
}

function toSubLogCode(word: string): number {
  const code = toUint40(word);
  if (code >= subLogEvents.length) throw new LayoutError(`a SubscriptEvent is 0..${subLogEvents.length - 1}`);
  return code;
}

import { expect, test } from "bun:test";
import { testDepth } from "@dueday/test-support/testDepth";
import fc from "fast-check";
import { decodeEventLog, encodeAbiParameters, encodeEventTopics, type Hex } from "viem";
import { protocolAbi } from "../abi/protocol";
import { decodeProtocolEvent, type EventLog, protocolEventTopics } from "./decodeProtocolEvent";

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value): Hex => `0x${value.toHex()}`);
const uint40 = fc.integer({ min: 0, max: 2 ** 40 - 1 });
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const address = hex(20);
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.constantFrom("", "\0", "a\0b", "\u001b[31m", "\u202e", "Größe 🎉"),
  fc.constantFrom("x", "é", "🎉").map((unit) => unit.repeat(300_000 / new TextEncoder().encode(unit).length)),
);

const layouts = {
  SubLog: {
    indexed: { id: hex(32), provider: address, subscriber: address },
    data: { timestamp: uint40, amount: uint256, token: address, subScriptEvent: fc.integer({ min: 0, max: 9 }) },
  },
  DetailsLog: {
    indexed: { id: hex(32), provider: address, timestamp: uint40 },
    data: { url: text, description: text },
  },
  ProvDetailsLog: {
    indexed: { provider: address, timestamp: uint40 },
    data: { description: text, company: text, url: text, domain: text, email: text, misc: text },
  },
  CallerLog: {
    indexed: { timestamp: uint40, checkedDay: uint40, caller: address },
    data: { isFinished: fc.boolean() },
  },
  Coordinates: {
    indexed: { id: hex(32), nextUncheckedDay: uint40 },
    data: { subscriberIndex: uint256, subscriptionIndex: uint256, frequency: uint256 },
  },
  UList: { indexed: { timestamp: uint40, id: hex(32), subscriber: address }, data: {} },
} as const;
type EventName = keyof typeof layouts;

/** An event's log, encoded by viem from drawn values. */
const eventLog: fc.Arbitrary<EventLog> = fc
  .constantFrom(...(Object.keys(layouts) as EventName[])) // Object.keys is typed as string[]; the object has no other keys
  .chain((eventName) =>
    fc
      .record({
        indexed: fc.record<Record<string, unknown>>(layouts[eventName].indexed),
        data: fc.record<Record<string, unknown>>(layouts[eventName].data),
      })
      .map(({ indexed, data }) => encode(eventName, indexed, data)),
  );

function encode(eventName: EventName, indexed: Record<string, unknown>, data: Record<string, unknown>): EventLog {
  const item = protocolAbi.find((candidate) => candidate.type === "event" && candidate.name === eventName);
  if (item?.type !== "event") throw new Error(`the ABI has no event ${eventName}`);
  // viem types topics by the event; the layouts above are written for each event by hand.
  const topics = encodeEventTopics({ abi: protocolAbi, eventName, args: indexed } as never) as Hex[];
  const parameters = item.inputs.filter((input) => !("indexed" in input && input.indexed));
  const values = parameters.map((parameter) => data[parameter.name]);
  return { topics, data: encodeAbiParameters(parameters, values as never) };
}

/** What viem decodes, in the names and types of the index. */
function byViem(log: EventLog): unknown {
  const decoded = decodeByAbi(log);
  if (decoded === null) return null;
  const { subScriptEvent, ...rest } = decoded.args as Record<string, unknown>; // the six argument types have no common one
  const lower = Object.entries(rest).map(([name, value]) => [
    name,
    ["id", "provider", "subscriber", "token", "caller"].includes(name) ? String(value).toLowerCase() : value,
  ]);
  const code = subScriptEvent === undefined ? {} : { code: subScriptEvent };
  return { event: decoded.eventName, ...Object.fromEntries(lower), ...code };
}

function decodeByAbi({ topics: [topic, ...rest], data }: EventLog) {
  if (topic === undefined) return null;
  try {
    return decodeEventLog({ abi: protocolAbi, topics: [topic, ...rest], data });
  } catch {
    // viem throws for any log that does not fit the ABI.
    return null;
  }
}

test("every log of the six events decodes to what viem decodes", () => {
  fc.assert(
    fc.property(eventLog, (log) => {
      expect(decodeProtocolEvent(log)).toEqual(byViem(log) as never); // compared by value; viem's side has no static type
    }),
    { numRuns: 100 * testDepth },
  );
});

test("hostile offsets and lengths, cut data and foreign characters give null or an event, and never throw", () => {
  const word = fc.oneof(
    fc.constantFrom(0n, 1n, 31n, 32n, 64n, 2n ** 31n, 2n ** 53n, 2n ** 255n, 2n ** 256n - 1n).map(toWord),
    uint256.map(toWord),
    fc.constant("zz".repeat(32)),
  );
  const damaged = fc.oneof(
    fc.tuple(eventLog, word, fc.nat({ max: 12 })).map(([log, wrong, index]) => ({
      topics: log.topics,
      data: replaceWord(log.data, index, wrong),
    })),
    fc.tuple(eventLog, fc.double({ min: 0, max: 1, noNaN: true })).map(([log, part]) => ({
      topics: log.topics,
      data: log.data.slice(0, 2 + Math.floor((log.data.length - 2) * part)) as Hex, // still begins with 0x
    })),
    fc.tuple(eventLog, fc.nat({ max: 4 })).map(([log, kept]) => ({ ...log, topics: log.topics.slice(0, kept) })),
    fc
      .tuple(fc.constantFrom(...protocolEventTopics), fc.array(hex(32), { maxLength: 4 }), fc.array(word))
      .map(([selector, topics, words]): EventLog => ({ topics: [selector, ...topics], data: `0x${words.join("")}` })),
  );
  fc.assert(
    fc.property(damaged, (log) => {
      const event = decodeProtocolEvent(log);
      if (event !== null && byViem(log) !== null) expect(event).toEqual(byViem(log) as never); // as above
    }),
    { numRuns: 300 * testDepth },
  );
});

test("bytes that are not valid UTF-8 become U+FFFD, as viem reads them", () => {
  const id = toWord(1n);
  const topics: Hex[] = [selectorOf("DetailsLog"), `0x${id}`, `0x${toWord(2n)}`, `0x${toWord(3n)}`];
  const invalid = "ff00c328".padEnd(64, "0");
  const data: Hex = `0x${toWord(64n)}${toWord(128n)}${toWord(4n)}${invalid}${toWord(0n)}`;
  expect(decodeProtocolEvent({ topics, data })).toMatchObject({ url: "\ufffd\0\ufffd(", description: "" });
  expect(decodeProtocolEvent({ topics, data })).toEqual(byViem({ topics, data }) as never); // as above
});

test("a log of another event decodes to null", () => {
  expect(decodeProtocolEvent({ topics: [], data: "0x" })).toBeNull();
  expect(decodeProtocolEvent({ topics: [`0x${toWord(1n)}`], data: "0x" })).toBeNull();
  expect(protocolEventTopics).toHaveLength(6);
});

function selectorOf(eventName: EventName): Hex {
  const [selector] = encodeEventTopics({ abi: protocolAbi, eventName });
  return selector;
}

function toWord(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}

function replaceWord(data: Hex, index: number, word: string): Hex {
  const start = 2 + index * 64;
  return start >= data.length ? data : `0x${data.slice(2, start)}${word}${data.slice(start + 64)}`;
}

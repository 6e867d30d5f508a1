import { protocolAbi } from "@dueday/core/abi/protocol";
import { type AbiFunction, type Address, toFunctionSelector } from "viem";
import { callKey, type NodeAnswer, type NodeCall, type Spoiler } from "./startSpoiledNode";

/** Draws a number from 0 to 1. */
export type Random = () => number;

export type Recorded = { call: NodeCall; answer: NodeAnswer };

export type DrawnSpoiler = Spoiler & {
  /** For the report of a case that fails. */
  what: string;
};

/** Numbers from a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Draws how a node spoils its answer to one of the calls in `asked`: by type, size, sign, depth, missing fields, wrong ids, duplicates,
 * other blocks, absurd numbers, arrays for objects, invalid hexadecimal digits.
 *
 * Not drawn is what no client can notice, because it might be the answer of another state of the chain: another number within the
 * bounds of its type, a log that is left out, another number of topics in a simulated log of a token, a revert in place of a result.
 */
export function drawSpoiler(random: Random, asked: readonly Recorded[], contract: Address): DrawnSpoiler {
  // By method first, so that one that is called once is struck as often as one that is called a thousand times.
  const method = pick(random, [...new Set(asked.map(({ call }) => call.method))]);
  const target = pick(
    random,
    asked.filter(({ call }) => call.method === method),
  );
  const spoiler = { call: callKey(target.call), always: random() < 0.6 };
  const kind = random();
  const drawn =
    kind < 0.12
      ? drawSpecial(random, target, asked, contract)
      : kind < 0.3
        ? drawEnvelope(random, target, asked)
        : kind < 0.38
          ? drawResponse(random)
          : drawValue(random, target, contract);
  return { ...spoiler, ...(drawn ?? drawEnvelope(random, target, asked)) };
}

type Drawn = Pick<DrawnSpoiler, "what" | "answer" | "response">;

/** The members of the answer itself. */
function drawEnvelope(random: Random, { call, answer }: Recorded, asked: readonly Recorded[]): Drawn {
  const { result } = answer;
  const other = pick(random, asked).answer.result ?? "0x";
  const id = pick(random, [null, String(call.id), call.id + 1_000, -1, 0.5, {}, [call.id], undefined, true]);
  const error = pick(random, [{}, [], "failed", 5, true, { code: "x", message: 5 }, { code: null }, nested(500)]);
  const draw: [string, (sound: NodeAnswer) => unknown[]][] = [
    [`id ${JSON.stringify(id)}`, (sound) => [{ ...sound, id }]],
    ["the answer of another call under a wrong id", (sound) => [{ ...sound, id: sound.id + 1_000, result: other }]],
    [`error ${JSON.stringify(error).slice(0, 40)}`, ({ jsonrpc, id: own }) => [{ jsonrpc, id: own, error }]],
    [
      "both an error and a result",
      ({ jsonrpc, id: own }) => [{ jsonrpc, id: own, result: other, error: { code: -32000, message: "failed" } }],
    ],
    ["two answers, the other first", (sound) => [{ ...sound, result: other }, sound]],
    ["two answers, the other last", (sound) => [sound, { ...sound, result: other }]],
    ["no answer", () => []],
    ["no result", ({ jsonrpc, id: own }) => [{ jsonrpc, id: own }]],
    ["a list for the answer", (sound) => [[sound]]],
    ["a text for the answer", (sound) => [JSON.stringify(sound)]],
    ["null for the answer", () => [null]],
    ["a number for the answer", () => [7]],
    ["the result in place of the answer", () => [result ?? null]],
    ["nested members", (sound) => [{ ...sound, result: { result: sound.result } }]],
  ];
  // Where a node may lack the method, an error is an answer, and the next best way is taken.
  if (!/eth_(?:simulateV1|createAccessList|getStorageAt|estimateGas|maxPriorityFeePerGas)/.test(call.method)) {
    const failure = { code: pick(random, [-32000, -32001, -32010, 19]), message: "backend trouble, try again" };
    draw.push(["a failure of the node", ({ jsonrpc, id: own }) => [{ jsonrpc, id: own, error: failure }]]);
  }
  const [what, spoil] = pick(random, draw);
  return { what, answer: spoil };
}

/** The HTTP response that holds the answer. */
function drawResponse(random: Random): Drawn {
  const at = random();
  const draw: [string, (text: string) => Response][] = [
    ["a response that is cut off", (text) => new Response(text.slice(0, Math.floor(text.length * at)))],
    ["HTML", () => new Response("<html>welcome</html>", { headers: { "Content-Type": "text/html" } })],
    ["an empty response", () => new Response("")],
    ["status 204", () => new Response(null, { status: 204 })],
    ["null", () => new Response("null")],
    ["{}", () => new Response("{}")],
    ["[]", () => new Response("[]")],
    ["a list around the response", (text) => new Response(`[${text}]`)],
    ["deep lists", () => new Response("[".repeat(100_000) + "]".repeat(100_000))],
    ["deep objects", () => new Response(`${'{"result":'.repeat(50_000)}1${"}".repeat(50_000)}`)],
    ["bytes that are not UTF-8", () => new Response(new Uint8Array([0xff, 0xfe, 0x00, 0x5b]))],
    ["a response over the bound", (text) => new Response(text + " ".repeat(5 * 2 ** 20))],
    ["status 500", (text) => new Response(text, { status: 500 })],
    ["status 404", (text) => new Response(text, { status: 404 })],
    ["a redirect", () => new Response(null, { status: 302, headers: { Location: "http://127.0.0.1:1/" } })],
    ["429 for an hour", () => new Response("slow down", { status: 429, headers: { "Retry-After": "3600" } })],
    ["a negative Retry-After", () => new Response("", { status: 429, headers: { "Retry-After": "-1e9" } })],
  ];
  const [what, response] = pick(random, draw);
  return { what, response };
}

/** What only one method's answers have. */
function drawSpecial(
  random: Random,
  { call, answer }: Recorded,
  asked: readonly Recorded[],
  contract: Address,
): Drawn | null {
  const { result } = answer;
  const replaced = (what: string, spoiled: unknown): Drawn => ({
    what,
    answer: (sound) => [{ ...sound, result: spoiled }],
  });
  if (call.method === "eth_call" && typeof result === "string") {
    const spoiled = overflowed(random, call, result, contract);
    return spoiled === null ? null : replaced("a number beyond its type", spoiled);
  }
  if (call.method.startsWith("eth_getBlockBy") && call.params[0] !== "latest") {
    const others = asked.filter(
      (each) => each.call.method.startsWith("eth_getBlockBy") && hashOf(each.answer.result) !== hashOf(result),
    );
    return others.length === 0 ? null : replaced("another block", pick(random, others).answer.result);
  }
  if (call.method === "eth_getBlockByNumber" && isRecord(result)) {
    const seconds = Number(result.timestamp);
    const time = pick(random, [seconds * 1000, seconds + 10 * 365 * 86_400, 2 ** 52]);
    return replaced(`the time ${time}`, { ...result, timestamp: `0x${time.toString(16)}` });
  }
  if (call.method === "eth_getLogs" && Array.isArray(result) && result.length > 0) {
    const place = Math.floor(random() * result.length);
    const elsewhere = pick(random, [
      { blockHash: `0x${"ab".repeat(32)}`, blockNumber: "0x7fffffff" },
      { blockNumber: "0x0" },
      { address: `0x${"cd".repeat(20)}` },
      { removed: true },
    ]);
    return replaced(
      `a log with ${JSON.stringify(elsewhere)}`,
      result.map((log, index) => (index === place ? { ...log, ...elsewhere } : log)),
    );
  }
  if (call.method === "eth_getTransactionReceipt" && isRecord(result)) {
    return replaced("the receipt of another transaction", { ...result, transactionHash: `0x${"ab".repeat(32)}` });
  }
  if (call.method === "eth_getTransactionByHash" && isRecord(result)) {
    return replaced("another transaction", { ...result, hash: `0x${"ab".repeat(32)}` });
  }
  return null;
}

/** A result of one of the protocol's views in which one word is larger than its type; null where every word may have any value. */
function overflowed(random: Random, { params }: NodeCall, result: string, contract: Address): string | null {
  const [request] = params;
  if (!isRecord(request) || String(request.to).toLowerCase() !== contract.toLowerCase()) return null;
  const selector = String(request.data).slice(0, 10);
  const view = protocolAbi.find((item): item is (typeof protocolAbi)[number] & AbiFunction => {
    return item.type === "function" && toFunctionSelector(item) === selector;
  });
  if (view === undefined || view.outputs.some(({ type }) => type.includes("[") || type === "tuple")) return null;
  const narrow = view.outputs.flatMap(({ type }, index) =>
    /^(?:bool|address|uint(?:8|16|40))$/.test(type) ? [index] : [],
  );
  if (narrow.length === 0) return null;
  const at = 2 + 64 * pick(random, narrow);
  return `${result.slice(0, at)}${pick(random, ["f".repeat(24), `1${"0".repeat(23)}`])}${result.slice(at + 24)}`;
}

type Path = (string | number)[];

/** One value inside the result. */
function drawValue(random: Random, { call, answer }: Recorded, contract: Address): Drawn | null {
  const { result } = answer;
  if (result === undefined || result === null) return null;
  const paths = pathsOf(result);
  // The whole result as often as one of its parts.
  const path = random() < 0.25 ? [] : pick(random, paths);
  const value = path.reduce<unknown>((at, key) => Reflect.get(Object(at), key), result);
  const parent = path.slice(0, -1).reduce<unknown>((at, key) => Reflect.get(Object(at), key), result);
  const drawn = drawReplacement(random, value, { call, path, parent, contract });
  if (drawn === null) return null;
  const [what, replacement] = drawn;
  return {
    what: `${path.join(".") || "the result"}: ${what}`,
    answer: (sound) => [{ ...sound, result: replaced(sound.result, path, replacement) }],
  };
}

type Place = { call: NodeCall; path: Path; parent: unknown; contract: Address };

/** Stands for a member that is left out. */
const MISSING = Symbol("missing");

function drawReplacement(random: Random, value: unknown, place: Place): [string, unknown] | null {
  const isNullable = place.path.length === 0 && /eth_getTransaction/.test(place.call.method);
  const general: [string, unknown][] = [
    ["a number", 12],
    ["a negative number", -1],
    ["a large number", 1e300],
    ["true", true],
    ["an object", {}],
    ["a list around it", [value]],
    ["an object around it", { value }],
    ["depth", nested(2_000)],
    ["an empty text", ""],
    ["text", "\u0000\u202eoops"],
    ["a long text", "x".repeat(100_000)],
    ...(isNullable ? [] : ([["null", null]] as [string, unknown][])),
    ...(place.path.length > 0 ? ([["nothing", MISSING]] as [string, unknown][]) : []),
  ];
  if (typeof value === "string" && value.startsWith("0x")) {
    return pick(random, random() < 0.35 ? general : hexReplacements(value, place));
  }
  if (Array.isArray(value)) {
    if (value.length === 0 || random() < 0.4) return pick(random, general);
    const index = Math.floor(random() * value.length);
    const { call, path, parent, contract } = place;
    const isOfToken =
      call.method !== "eth_getTransactionReceipt" &&
      path.at(-1) === "topics" &&
      String(Object(parent).address).toLowerCase() !== contract.toLowerCase();
    const lists: [string, unknown][] = [
      ...(isOfToken ? [] : ([["an element twice", value.toSpliced(index, 0, value[index])]] as [string, unknown][])),
      ["an element that is null", value.with(index, null)],
      ["an element that is a list", value.with(index, [value[index]])],
      ["an object with the elements", { ...value }],
      ["thousands of empty objects", [...value, ...Array.from({ length: 3_000 }, () => ({}))]],
    ];
    return pick(random, lists);
  }
  return pick(random, general);
}

/** Texts of 20 bytes or more are data, shorter ones are numbers. */
function hexReplacements(value: string, { call, path, contract }: Place): [string, unknown][] {
  const spoiled: [string, unknown][] = [
    ["no prefix", value.slice(2)],
    ["0X", `0X${value.slice(2)}`],
    ["two prefixes", `0x${value}`],
    ["a minus sign", `-${value}`],
    ["a minus sign inside", `0x-${value.slice(2)}`],
    ["a space", ` ${value}`],
    ["a line break", `${value}\n`],
    ["a digit g", `${value.slice(0, -1)}g`],
    ["a full-width digit", `${value.slice(0, -1)}\uff11`],
    ["0xzz", "0xzz"],
  ];
  if (value.length < 42) {
    return [
      ...spoiled,
      ["2^256 - 1", `0x${"f".repeat(64)}`],
      ["2^256", `0x1${"0".repeat(64)}`],
      ["0x", "0x"],
      ["a decimal number", BigInt(value === "0x" ? 0 : value).toString()],
      ["a fraction", `${value}.8`],
      ["many digits", `0x${"9".repeat(50_000)}`],
      ["leading zeros", `0x0000${value.slice(2)}`],
    ];
  }
  const [request] = call.params;
  const isOfToken = call.method === "eth_call" && String(Object(request).to).toLowerCase() !== contract.toLowerCase();
  const isWhole = path.length === 0;
  // A token or a program may return anything, and code may have any length.
  const hasLength = !(isWhole && (isOfToken || call.method === "eth_getCode")) && path.at(-1) !== "data";
  const isData = isWhole || path.at(-1) === "data" || path.at(-1) === "input" || path.at(-1) === "returnData";
  return [
    ...spoiled,
    ["half a byte less", value.slice(0, -1)],
    ["half a byte more", `${value}0`],
    ...(hasLength && !isData ? ([["a byte less", value.slice(0, -2)]] as [string, unknown][]) : []),
    ...(hasLength && isWhole && call.method === "eth_call"
      ? ([
          ["a byte less", value.slice(0, -2)],
          ["a word less", value.slice(0, -64)],
          ["0x", "0x"],
        ] as [string, unknown][])
      : []),
    ...(isWhole && isOfToken ? [] : ([["words more", `${value}${"00".repeat(64)}`]] as [string, unknown][])),
    ...(isWhole && isOfToken ? [] : ([["100 KB more", `${value}${"00".repeat(100_000)}`]] as [string, unknown][])),
  ];
}

/** Places of values in an answer, of a long list the first ones. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (path.length > 6) return [path];
  if (Array.isArray(value))
    return [path, ...value.slice(0, 12).flatMap((each, index) => pathsOf(each, [...path, index]))];
  if (!isRecord(value)) return [path];
  return [path, ...Object.entries(value).flatMap(([key, each]) => pathsOf(each, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: Path, replacement: unknown): unknown {
  if (key === undefined) return replacement;
  if (Array.isArray(value)) {
    const place = Number(key);
    const inner = replaced(value[place], rest, replacement);
    return inner === MISSING ? value.with(place, null) : value.with(place, inner);
  }
  const record = Object(value);
  const inner = replaced(record[key], rest, replacement);
  const { [key]: _, ...others } = record;
  return inner === MISSING ? others : { ...record, [key]: inner };
}

function nested(depth: number): unknown {
  let value: unknown = "0x1";
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

function hashOf(block: unknown): unknown {
  return isRecord(block) ? block.hash : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function pick<T>(random: Random, from: readonly T[]): T {
  const picked = from[Math.floor(random() * from.length)];
  if (picked === undefined && from.length === 0) throw new Error("nothing to pick from");
  // An element may be undefined itself.
  return picked as T;
}

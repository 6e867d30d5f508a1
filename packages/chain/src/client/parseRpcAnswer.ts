import { type RpcCall, type RpcOutcome, RpcRefusal } from "./rpcOutcome";

// Only for these is null a valid result: the node does not know the transaction.
const NULLABLE = new Set(["eth_getTransactionByHash", "eth_getTransactionReceipt"]);

const OUT_OF_GAS = /out ?of ?gas|gas required exceeds|exceeds (?:block )?gas limit/i;
const MISSING_BLOCK =
  /header (?:for hash )?not found|(?:unknown|missing) block|block ?out ?of ?range|resource not found|missing trie node/;
/** Words that mean the same where they stand in one sentence, in this order. As one pattern they would take quadratic time. */
const MISSING_IN_SENTENCE: readonly (readonly [string, RegExp])[] = [
  ["block", / (?:not found|unknown)/],
  ["state", / not available/],
];
const TRANSIENT = new Set([-32603, -32005, -32007, -32016, 429]);
const RATE = /rate|too many requests|capacity|throttl/i;

/**
 * Parses one JSON-RPC answer. Nodes report reverts in several forms (code 3, -32000 or -32015, data as text or nested); all
 * become a refusal that carries the revert data. A block that the node does not have (yet) is a failure of that node.
 */
export function parseRpcAnswer(call: RpcCall, answer: unknown): RpcOutcome {
  if (!isRecord(answer)) return { failure: { kind: "malformed" } };
  if (isRecord(answer.error)) return parseError(call, answer.error);
  if (!("result" in answer)) return { failure: { kind: "malformed" } };
  if (answer.result === null && !NULLABLE.has(call.method)) {
    const kind = call.method.startsWith("eth_getBlockBy") ? "missing_block" : "null_result";
    return { failure: { kind } };
  }
  return { result: answer.result };
}

function parseError(call: RpcCall, error: Record<string, unknown>): RpcOutcome {
  const code = typeof error.code === "number" ? error.code : 0;
  const message = nodeMessage(error);
  const data = revertData(error.data);
  const refusal = { refusal: new RpcRefusal(code, message, data) };
  if (code === 3 || data !== undefined || /revert/i.test(message) || OUT_OF_GAS.test(message)) return refusal;
  if (isMissingBlock(message.toLowerCase())) return { failure: { kind: "missing_block" } };
  // "Too many results" has the code of a rate limit, but only a narrower range helps, so it is the caller's to handle.
  if (call.method === "eth_getLogs" && !RATE.test(message)) return refusal;
  if (TRANSIENT.has(code)) return { failure: { kind: "node_error" } };
  return refusal;
}

/** The longest text of a node that is read: no node needs more for its reason, and a pattern takes time for each character. */
const MAX_MESSAGE_LENGTH = 500;

/** The message of a node's error, cut to 500 characters; "" without one. */
export function nodeMessage({ message }: Record<string, unknown>): string {
  return typeof message === "string" ? message.slice(0, MAX_MESSAGE_LENGTH) : "";
}

function isMissingBlock(message: string): boolean {
  if (MISSING_BLOCK.test(message)) return true;
  return message.split(".").some((sentence) =>
    MISSING_IN_SENTENCE.some(([subject, state]) => {
      const start = sentence.indexOf(subject);
      return start !== -1 && state.test(sentence.slice(start + subject.length));
    }),
  );
}

function revertData(data: unknown): `0x${string}` | undefined {
  if (isRecord(data)) return revertData(data.data);
  if (typeof data !== "string") return undefined;
  const hex = /0x(?:[0-9a-fA-F]{2})*$/.exec(data)?.[0];
  // The pattern starts with 0x, which is all that the type requires.
  return hex as `0x${string}` | undefined;
}

/** Whether a refusal means that gas ran out, which is not an answer of the contract. */
export function isOutOfGas(message: string): boolean {
  return OUT_OF_GAS.test(message);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

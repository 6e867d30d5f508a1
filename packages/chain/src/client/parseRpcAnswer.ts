import { type RpcCall, type RpcOutcome, RpcRefusal } from "./rpcOutcome";

// Only for these is null a valid result: the node does not know the transaction.
const NULLABLE = new Set(["eth_getTransactionByHash", "eth_getTransactionReceipt"]);

// "MemoryOOG" and its like are anvil's names.
const OUT_OF_GAS = /out ?of ?gas|OOG\b|gas required exceeds|exceeds (?:block )?gas limit/i;
const MISSING_BLOCK =
  /header (?:for hash )?not found|(?:unknown|missing) block|block ?out ?of ?range|resource not found|missing trie node/;
/** Texts that also mean a missing block where a sentence has both, in this order. As one pattern they would take quadratic time. */
const MISSING_IN_SENTENCE: readonly (readonly [string, RegExp])[] = [
  ["block", / (?:not found|unknown)/],
  ["state", / not available/],
];
const INTERNAL_ERROR = -32603;
/** "The state or header is not available yet", of nodes behind a load balancer. */
const NOT_YET = -32014;
const RATE_CODES = new Set([-32005, -32007, -32016, -32029, 429]);
const RATE = /rate limit|over rate|rate exceeded|too many requests|request limit|per second|capacity|throttl|quota/i;
/** What nodes write of calls that are too large together. A range of blocks that is too large is not meant: it is refused alone too. */
const TOO_LARGE_TOGETHER = /batch|(?:response|content|body|payload|message)(?: size)?(?: is)? too (?:large|big)/i;

/** What providers write of a result that is larger than they send. */
const TOO_LARGE_RESULT = /(?:response|result)(?: size)?(?: is)? (?:too (?:large|big)|exceed)/i;

/**
 * Parses one JSON-RPC answer. Nodes report reverts in several forms (code 3, -32000 or -32015, data as text or nested); all
 * become a refusal that carries the revert data. A block that the node does not have (yet) is a failure of that node.
 */
export function parseRpcAnswer(call: RpcCall, answer: unknown): RpcOutcome {
  if (!isRecord(answer)) return { failure: { kind: "malformed" } };
  if (isRecord(answer.error)) {
    const hasResult = answer.result !== undefined && answer.result !== null;
    return hasResult ? { failure: { kind: "malformed" } } : parseRpcError(call, answer.error);
  }
  if (!("result" in answer)) return { failure: { kind: "malformed" } };
  if (answer.result === null && !NULLABLE.has(call.method)) {
    const kind = call.method.startsWith("eth_getBlockBy") ? "missing_block" : "null_result";
    return { failure: { kind } };
  }
  return { result: answer.result };
}

/** Parses the error of an answer, or of an answer to a whole batch. */
export function parseRpcError(call: RpcCall, error: Record<string, unknown>): RpcOutcome {
  // An error without message and data may be about anything, and must not count as a revert.
  if (typeof error.message !== "string" && typeof error.data !== "string") return { failure: { kind: "malformed" } };
  const code = typeof error.code === "number" ? error.code : 0;
  const message = nodeMessage(error);
  const data = revertData(error.data);
  const refusal = { refusal: new RpcRefusal(code, message, data, { method: call.method }) };
  if (code === 3 || data !== undefined || /revert/i.test(message) || OUT_OF_GAS.test(message)) return refusal;
  if ((code === NOT_YET && !isAboutBatch(error)) || isMissingBlock(message.toLowerCase()))
    return { failure: { kind: "missing_block" } };
  if (isRateLimit(call, code, message)) return { failure: { kind: "rate_limited" } };
  // "Too many results" may have the code of an internal error, but only a narrower range helps: it is the caller's to handle.
  if (code === INTERNAL_ERROR && call.method !== "eth_getLogs") return { failure: { kind: "node_error" } };
  return refusal;
}

function isRateLimit({ method }: RpcCall, code: number, message: string): boolean {
  if (RATE.test(message)) return true;
  // The first of the codes also means "too many results".
  return method === "eth_getLogs" && code === -32005 ? false : RATE_CODES.has(code);
}

/**
 * Whether an error in the answer to a batch is about the batch, or about the size of its answers together, whatever its code is: Base's
 * public endpoint sends it with the code of a header that is not available yet. The revert of a contract is never about the batch.
 */
export function isAboutBatch(error: Record<string, unknown>): boolean {
  const message = nodeMessage(error);
  const isRevert = error.code === 3 || revertData(error.data) !== undefined || /revert/i.test(message);
  return !isRevert && TOO_LARGE_TOGETHER.test(message);
}

/** The batch size that the refusal of a batch with `calls` states: the largest number in it below `calls`. Null where it states none. */
export function statedBatchSize(error: Record<string, unknown>, calls: number): number | null {
  const message = nodeMessage(error);
  if (!/batch/i.test(message)) return null;
  const numbers = [...message.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const fitting = numbers.filter((number) => number > 0 && number < calls);
  return fitting.length === 0 ? null : Math.max(...fitting);
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

/** How nodes name a call that the EVM has ended: a revert, an exception or the lack of gas. */
const EXECUTION =
  /revert|\bevm\b|\bvm\b|opcode|instruction|stack|jump|gas|overflow|underflow|write protection|static ?call|out ?of ?bounds|code size/i;

/**
 * Whether a refusal of eth_call means that the EVM has ended the call. Any other refusal is the node's own: a quota, a block that it does
 * not have, an internal error under another code.
 */
export function isExecutionFailure({ code, message, data }: RpcRefusal): boolean {
  return code === 3 || data !== undefined || EXECUTION.test(message);
}

/** Whether a refusal means that gas ran out, which is not an answer of the contract. */
export function isOutOfGas(message: string): boolean {
  return OUT_OF_GAS.test(message);
}

/** Whether a refusal means that the result is larger than the node sends. */
export function isTooLargeResult(message: string): boolean {
  return TOO_LARGE_RESULT.test(message);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

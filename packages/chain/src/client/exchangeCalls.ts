import { optionalFeature } from "./missingMethod";
import { isAboutBatch, isRecord, parseRpcAnswer, parseRpcError, statedBatchSize } from "./parseRpcAnswer";
import { type PostLimits, type PostTarget, postJson } from "./postJson";
import { type RpcCall, type RpcFailure, type RpcOutcome, RpcRefusal } from "./rpcOutcome";

/** The outcome of a call; `not_together` where the call may succeed in a smaller batch, or alone. */
export type BatchOutcome = RpcOutcome | "not_together";

export type ExchangedCalls = {
  /** One for each call, in order. "batch_refused": the batch as a whole was refused, or the node fails. */
  outcomes: BatchOutcome[] | "batch_refused";
  /** Calls that the node takes in one request, where its refusal states them. */
  statedSize: number | null;
  /** Sent and received. */
  bytes: number;
};

/** Sends calls in one HTTP request: a batch where they are several. Never throws. */
export async function exchangeCalls(
  target: PostTarget,
  calls: readonly RpcCall[],
  limits: PostLimits,
): Promise<ExchangedCalls> {
  const [first] = calls;
  if (first === undefined) return { outcomes: [], statedSize: null, bytes: 0 };
  const isBatch = calls.length > 1;
  const envelopes = calls.map((call, index) => ({ jsonrpc: "2.0", id: index + 1, ...call }));
  const { bytes, ...answer } = await postJson(target, JSON.stringify(isBatch ? envelopes : envelopes[0]), limits);
  if ("failure" in answer) {
    const outcomes = isBatch ? failedBatch(calls, answer.failure) : [failedCall(first, answer.failure)];
    return { outcomes, statedSize: null, bytes };
  }
  if (!isBatch) return { outcomes: [parseSingle(first, answer.json)], statedSize: null, bytes };
  return { outcomes: parseBatch(calls, answer.json), statedSize: statedSize(answer.json, calls.length), bytes };
}

function statedSize(json: unknown, calls: number): number | null {
  const [first]: unknown[] = Array.isArray(json) ? json : [json];
  return isRecord(first) && isRecord(first.error) ? statedBatchSize(first.error, calls) : null;
}

function parseSingle(call: RpcCall, json: unknown): RpcOutcome {
  // Some nodes answer a call with a list of one.
  const answer: unknown = Array.isArray(json) && json.length === 1 ? json[0] : json;
  // An error may have no id: some nodes fail before they have read the id.
  const isAnother = isRecord(answer) && "result" in answer && answer.id !== 1;
  return isAnother ? { failure: { kind: "malformed" } } : parseRpcAnswer(call, answer);
}

function failedBatch(calls: readonly RpcCall[], failure: RpcFailure): BatchOutcome[] | "batch_refused" {
  if (failure.kind === "http_status" || failure.kind === "too_large") return "batch_refused";
  return calls.map(() => ({ failure }));
}

/** Providers refuse a method that the customer's price plan lacks with an HTTP status alone. */
function failedCall(call: RpcCall, failure: RpcFailure): RpcOutcome {
  const { httpStatus = 0 } = failure;
  const isMissing = [400, 403, 404, 405, 501].includes(httpStatus) && optionalFeature(call) !== null;
  if (!isMissing) return { failure };
  return { refusal: new RpcRefusal(-32601, "method not found", undefined, { method: call.method }) };
}

function parseBatch(calls: readonly RpcCall[], json: unknown): BatchOutcome[] | "batch_refused" {
  const whole = Array.isArray(json) && json.length === 1 ? json[0] : json;
  if (!Array.isArray(whole)) return failedWhole(calls, whole);
  const answers = new Map<unknown, Record<string, unknown> | undefined>();
  for (const answer of whole) {
    // Of two answers to one call neither can be trusted.
    if (isRecord(answer)) answers.set(answer.id, answers.has(answer.id) ? undefined : answer);
  }
  return calls.map((call, index) => {
    const answer = answers.get(index + 1);
    const isRefused = isRecord(answer?.error) && isAboutBatch(answer.error);
    return isRefused ? "not_together" : parseRpcAnswer(call, answer);
  });
}

/** One answer to a whole batch: a rate limit, or a node that takes no batch of this size. */
function failedWhole(calls: readonly RpcCall[], answer: unknown): BatchOutcome[] | "batch_refused" {
  const error = isRecord(answer) && isRecord(answer.error) ? answer.error : null;
  if (error === null) return "batch_refused";
  const outcomes = calls.map((call) => parseRpcError(call, error));
  const isLimit = outcomes.every((outcome) => "failure" in outcome && outcome.failure.kind === "rate_limited");
  return isLimit && !isAboutBatch(error) ? outcomes : "batch_refused";
}

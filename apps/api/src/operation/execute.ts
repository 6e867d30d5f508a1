import { describeError } from "@dueday/config/describeError";
import { ServiceError } from "@dueday/core/errors";
import { DatabaseError } from "@dueday/db/databaseError";
import type { ReadyAnswer } from "../snapshots/rendering";
import type { SnapshotView } from "../snapshots/snapshotView";
import { checkInput, type RawInput } from "./checkInput";
import { compileSchema } from "./compileSchema";
import type { Context } from "./context";
import type { CheckedInput, Runnable } from "./defineOperation";
import { summarize } from "./summarize";

const DEADLINE_MS = 15_000;

/** The answer of an operation: from a snapshot in memory, or computed now. */
export type Outcome = { ready: ReadyAnswer } | { value: unknown };

/** A context whose signal may be made only where a handler runs: an answer from memory needs none, and to make one takes time. */
export type Call = Omit<Context, "signal"> & { signal: AbortSignal | (() => AbortSignal) };

/**
 * Runs an operation: defaults and validation, snapshot or handler with deadline, check of the answer. The only caller of handlers.
 *
 * @returns a promise only where something has to be waited for
 * @throws ServiceError and nothing else. Any other error of a handler is a bug: the log has it, the client gets INTERNAL.
 */
export function execute(operation: Runnable, call: Call, raw: RawInput): Outcome | Promise<Outcome> {
  try {
    const input = checkInput(operation, raw);
    const view = operation.snapshot(call, input);
    const ready = view === null ? null : answerFrom(call, view);
    if (ready === null || ready instanceof Promise) return answerLater(operation, call, input, ready);
    return fromSnapshot(operation, call, input, ready);
  } catch (error) {
    throw toServiceError(error);
  }
}

function fromSnapshot(operation: Runnable, call: Call, input: CheckedInput, ready: ReadyAnswer): Outcome {
  const summarized = summarizedBy(operation, input);
  if (call.checkOutputs) checkOutput(operation, JSON.parse(ready.text));
  return summarized === undefined ? { ready } : { value: summarize(JSON.parse(ready.text), summarized) };
}

async function answerLater(
  operation: Runnable,
  call: Call,
  input: CheckedInput,
  awaited: Promise<ReadyAnswer | null> | null,
): Promise<Outcome> {
  try {
    const ready = await awaited;
    if (ready !== null) return fromSnapshot(operation, call, input, ready);
    const clientGone = typeof call.signal === "function" ? call.signal() : call.signal;
    const value = await withDeadline(operation, clientGone, (signal) => operation.handler({ ...call, signal }, input));
    if (call.checkOutputs) checkOutput(operation, value);
    const summarized = summarizedBy(operation, input);
    return { value: summarized === undefined ? value : summarize(value, summarized) };
  } catch (error) {
    throw toServiceError(error);
  }
}

/** The part of the answer that `detail=summary` leaves out. */
function summarizedBy({ summarized }: Runnable, { detail }: CheckedInput): Runnable["summarized"] {
  return detail === "summary" ? summarized : undefined;
}

/** How long a request waits for the worker to reach its `minBlock` before it is answered live, milliseconds. */
const SNAPSHOT_PATIENCE_MS = 1_500;
const SNAPSHOT_PAUSE_MS = 50;

/** The answer in memory; null where there is none, or none of the request's `minBlock`. */
function answerFrom(call: Call, view: SnapshotView): ReadyAnswer | null | Promise<ReadyAnswer | null> {
  return call.minBlock === null ? call.chain.snapshots.answer(view) : answerOfBlock(call, view);
}

async function answerOfBlock(
  { chain, minBlock, signal: given }: Call,
  view: SnapshotView,
): Promise<ReadyAnswer | null> {
  const deadline = performance.now() + SNAPSHOT_PATIENCE_MS;
  const signal = typeof given === "function" ? given() : given;
  for (let isRequested = false; ; isRequested = true) {
    const held = chain.snapshots.get(view.kind, view.key);
    if (held !== null && !held.orphaned && BigInt(held.stamp.blockNumber) >= (minBlock ?? 0n)) {
      return chain.snapshots.answer(view);
    }
    if (!isRequested) chain.requestProof(minBlock ?? 0n, false);
    if (signal.aborted || performance.now() >= deadline) return null;
    await Bun.sleep(SNAPSHOT_PAUSE_MS);
  }
}

/** Rejects at the deadline even where the handler ignores its signal. */
async function withDeadline<T>(
  operation: Runnable,
  clientGone: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadlineMs = operation.deadlineMs ?? DEADLINE_MS;
  const controller = new AbortController();
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new ServiceError(
      "UPSTREAM_TIMEOUT",
      `There was no answer within ${deadlineMs / 1000} s, the time limit of this operation; try again`,
    );
    controller.abort(error);
    reject(error);
  }, deadlineMs);
  const signal = AbortSignal.any([controller.signal, clientGone]);
  try {
    return await Promise.race([work(signal), expired]);
  } finally {
    clearTimeout(timer);
  }
}

function checkOutput(operation: Runnable, value: unknown): void {
  const [fault] = compileSchema(operation.output).Errors(value);
  if (fault === undefined) return;
  throw new Error(`the answer of ${operation.name} does not fit its schema at ${fault.path || "/"}: ${fault.message}`);
}

/** Any error as the ServiceError that a client may see. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof DatabaseError && error.retryable) {
    return new ServiceError(
      "UPSTREAM_UNAVAILABLE",
      "The database of this service does not answer; try again in a few seconds",
      {
        details: { action: error.action, failure: error.code },
      },
    );
  }
  return new ServiceError("INTERNAL", "Internal error of this service; its log has the details under this requestId", {
    details: { internal: describeError(error) },
  });
}

import { describeError } from "@dueday/config/describeError";
import { ServiceError } from "@dueday/core/errors";
import { DatabaseError } from "@dueday/db/databaseError";
import type { ReadyAnswer } from "../snapshots/rendering";
import type { SnapshotView } from "../snapshots/snapshotView";
import { checkInput, type RawInput } from "./checkInput";
import { compileSchema } from "./compileSchema";
import type { Context } from "./context";
import type { Runnable } from "./defineOperation";
import { summarize } from "./summarize";

const DEADLINE_MS = 15_000;

/** The answer of an operation: from a snapshot in memory, or computed now. */
export type Outcome = { ready: ReadyAnswer } | { value: unknown };

/** A context whose signal may be made only where a handler runs: an answer from memory needs none, and to make one takes time. */
export type Call = Omit<Context, "signal"> & { signal: AbortSignal | (() => AbortSignal) };

/**
 * Runs an operation: defaults and validation, snapshot or handler with deadline, check of the answer. The only caller of handlers.
 *
 * @throws ServiceError and nothing else. Any other error of a handler is a bug: the log has it, the client gets INTERNAL.
 */
export async function execute(operation: Runnable, call: Call, raw: RawInput): Promise<Outcome> {
  try {
    const input = checkInput(operation, raw);
    const view = operation.snapshot(call, input);
    const found = view === null ? null : answerFrom(call, view);
    // Awaiting what is in memory would cost each polled read a turn.
    const ready = found instanceof Promise ? await found : found;
    const summarized = input.detail === "summary" ? operation.summarized : undefined;
    if (ready !== null) {
      if (call.checkOutputs) checkOutput(operation, JSON.parse(ready.text));
      return summarized === undefined ? { ready } : { value: summarize(JSON.parse(ready.text), summarized) };
    }
    const clientGone = typeof call.signal === "function" ? call.signal() : call.signal;
    const value = await withDeadline(operation, clientGone, (signal) => operation.handler({ ...call, signal }, input));
    if (call.checkOutputs) checkOutput(operation, value);
    return { value: summarized === undefined ? value : summarize(value, summarized) };
  } catch (error) {
    throw toServiceError(error);
  }
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
  for (;;) {
    const held = chain.snapshots.get(view.kind, view.key);
    if (held !== null && !held.orphaned && BigInt(held.stamp.blockNumber) >= (minBlock ?? 0n)) {
      return chain.snapshots.answer(view);
    }
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

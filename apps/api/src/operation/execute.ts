import { describeError } from "@dueday/config/describeError";
import { ServiceError } from "@dueday/core/errors";
import { DatabaseError } from "@dueday/db/databaseError";
import type { ReadyAnswer } from "../snapshots/rendering";
import { checkInput, type RawInput } from "./checkInput";
import { compileSchema } from "./compileSchema";
import type { Context } from "./context";
import type { Runnable } from "./defineOperation";

const DEADLINE_MS = 15_000;

/** The answer of an operation: one that was ready, or a value that was computed now. */
export type Outcome = { ready: ReadyAnswer } | { value: unknown };

/**
 * The answer that a snapshot in memory holds for this input; null where there is none. Synchronous, so a surface can send a cached
 * read without waiting.
 *
 * @throws ServiceError VALIDATION_ERROR when the input does not fit the operation's schema.
 */
export function readReady(
  operation: Runnable,
  context: Pick<Context, "service" | "chain" | "checkOutputs">,
  raw: RawInput,
): ReadyAnswer | null {
  const view = operation.snapshot(context, checkInput(operation, raw));
  const ready = view === null ? null : context.chain.snapshots.answer(view);
  if (ready !== null && context.checkOutputs) checkOutput(operation, JSON.parse(ready.text));
  return ready;
}

/**
 * Runs an operation: defaults and validation, deadline, handler, a check of the answer. The only caller of handlers.
 *
 * @throws ServiceError and nothing else. What a handler throws besides is a bug: it goes to the log, and out as INTERNAL.
 */
export async function execute(operation: Runnable, context: Context, raw: RawInput): Promise<Outcome> {
  try {
    const ready = readReady(operation, context, raw);
    if (ready !== null) return { ready };
    const value = await withDeadline(operation, context.signal, (signal) =>
      operation.handler({ ...context, signal }, checkInput(operation, raw)),
    );
    if (context.checkOutputs) checkOutput(operation, value);
    return { value };
  } catch (error) {
    throw toServiceError(error);
  }
}

/** Also ends the wait for a handler that does not heed its signal. */
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
      `The chain did not answer within ${deadlineMs / 1000} s; try again`,
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

/** What a client may see of an error. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof DatabaseError && error.retryable) {
    return new ServiceError("UPSTREAM_UNAVAILABLE", "The service's database does not answer; try again in a moment", {
      details: { action: error.action, failure: error.code },
    });
  }
  return new ServiceError("INTERNAL", "The service met an internal error; it has been logged under this requestId", {
    details: { internal: describeError(error) },
  });
}

import { describeError } from "@dueday/config/describeError";
import { ServiceError } from "@dueday/core/errors";
import { DatabaseError } from "@dueday/db/databaseError";
import type { ReadyAnswer } from "../snapshots/rendering";
import { checkInput, type RawInput } from "./checkInput";
import { compileSchema } from "./compileSchema";
import type { Context } from "./context";
import type { Runnable } from "./defineOperation";

const DEADLINE_MS = 15_000;

/** The answer of an operation: from a snapshot in memory, or computed now. */
export type Outcome = { ready: ReadyAnswer } | { value: unknown };

/**
 * Runs an operation: defaults and validation, snapshot or handler with deadline, check of the answer. The only caller of handlers.
 *
 * @throws ServiceError and nothing else. Any other error of a handler is a bug: the log has it, the client gets INTERNAL.
 */
export async function execute(operation: Runnable, context: Context, raw: RawInput): Promise<Outcome> {
  try {
    const input = checkInput(operation, raw);
    const view = operation.snapshot(context, input);
    const ready = view === null ? null : context.chain.snapshots.answer(view);
    if (ready !== null) {
      if (context.checkOutputs) checkOutput(operation, JSON.parse(ready.text));
      return { ready };
    }
    const value = await withDeadline(operation, context.signal, (signal) =>
      operation.handler({ ...context, signal }, input),
    );
    if (context.checkOutputs) checkOutput(operation, value);
    return { value };
  } catch (error) {
    throw toServiceError(error);
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

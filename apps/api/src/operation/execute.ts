import { ServiceError } from "@dueday/core/errors";
import type { ReadyAnswer } from "../answers/rendering";
import { toServiceError } from "../answers/toServiceError";
import type { SnapshotView } from "../snapshots/snapshotView";
import { checkInput, type RawInput } from "./checkInput";
import { compileSchema } from "./compileSchema";
import type { Context, ProcessContext } from "./context";
import type { Runnable } from "./defineOperation";
import { summarize } from "./summarize";

const DEADLINE_MS = 15_000;

/** The answer of an operation: from a snapshot in memory, or computed now. */
export type Outcome = { ready: ReadyAnswer } | { value: unknown };

/** What a surface knows of a request, besides the operation and its input. */
export type Call = Omit<Context, keyof ProcessContext>;

/**
 * Runs an operation: defaults and validation, snapshot or handler with deadline, check of the answer. The only caller of handlers.
 *
 * @throws ServiceError and nothing else: UPSTREAM_UNAVAILABLE where the database does not answer. Any other error of a handler is a bug:
 * the log has it, the client gets INTERNAL.
 */
export async function execute(
  operation: Runnable,
  process: ProcessContext,
  call: Call,
  raw: RawInput,
): Promise<Outcome> {
  try {
    const input = checkInput(operation, raw);
    const summarized = input.detail === "summary" ? operation.summarized : undefined;
    const view = operation.snapshot({ service: process.service, chain: call.chain }, input);
    const ready = view === null ? null : await answerFrom(call, view);
    if (ready !== null) {
      if (process.checkOutputs) checkOutput(operation, JSON.parse(ready.text));
      return summarized === undefined ? { ready } : { value: summarize(JSON.parse(ready.text), summarized) };
    }
    const value = await withDeadline(operation, call.signal, (signal) =>
      operation.handler({ ...process, ...call, signal }, input),
    );
    if (process.checkOutputs) checkOutput(operation, value);
    return { value: summarized === undefined ? value : summarize(value, summarized) };
  } catch (error) {
    throw toServiceError(error);
  }
}

/** How long a request waits for the worker to reach its `minBlock` before it is answered live, milliseconds. */
const SNAPSHOT_PATIENCE_MS = 1_500;
const SNAPSHOT_PAUSE_MS = 50;

/** The answer in memory; null where there is none, or none that has reached the request's `minBlock`. */
async function answerFrom(call: Call, view: SnapshotView): Promise<ReadyAnswer | null> {
  const { snapshots } = call.chain;
  if (call.minBlock !== null && !(await reachesBlock(call, view, call.minBlock))) return null;
  const ready = snapshots.answer(view);
  if (ready !== null || view.pages === undefined) return ready;
  return (await snapshots.load(view)) ? snapshots.answer(view) : null;
}

/** Waits until the snapshot is of this block or a later one. Returns false where that takes too long. */
async function reachesBlock({ chain, signal }: Call, { kind, key }: SnapshotView, block: bigint): Promise<boolean> {
  const deadline = performance.now() + SNAPSHOT_PATIENCE_MS;
  for (let isRequested = false; ; isRequested = true) {
    const held = chain.snapshots.get(kind, key);
    if (held !== null && !held.orphaned && BigInt(held.stamp.blockNumber) >= block) return true;
    if (!isRequested) chain.requestProof(block, false);
    if (signal.aborted || performance.now() >= deadline) return false;
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
    const advice = operation.annotations.readOnlyHint
      ? "try again"
      : "it may have taken effect, or may still do so: read what is stored before you try again";
    const error = new ServiceError(
      "UPSTREAM_TIMEOUT",
      `There was no answer within ${deadlineMs / 1000} s, the time limit of this operation; ${advice}`,
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

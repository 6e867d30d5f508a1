import { ServiceError, validationError } from "@dueday/core/errors";
import type { Context } from "./context";

/** The header form of `minBlock`. */
export const MIN_BLOCK_HEADER = "X-Min-Block";

/** How long an answer waits for its block, milliseconds. */
export const MIN_BLOCK_PATIENCE_MS = 5_000;
/** From the first read to the second. Each further pause is longer, because a read may cost requests to a node. */
const FIRST_PAUSE_MS = 100;
const PAUSE_GROWTH = 1.5;

const BLOCK_NUMBER = /^(?:0|[1-9][0-9]{0,14})$/;

/**
 * The block that an answer has to reach, so that a client sees its own transaction.
 *
 * @param value a block number as a text or an integer; undefined where none is given
 * @param path of the field, for the error
 * @throws ServiceError VALIDATION_ERROR for anything else
 */
export function readMinBlock(value: unknown, path = "minBlock"): bigint | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text === "string" && BLOCK_NUMBER.test(text)) return BigInt(text);
  throw validationError(path, "MALFORMED", 'must be a block number of at most 15 digits, such as "32427185"');
}

/**
 * Repeats `read` until its result has reached the request's `minBlock`.
 *
 * @param reached whether a result is of that block or a later one
 * @throws MinBlockNotReached after 5 seconds
 */
export async function untilMinBlock<T>(
  { minBlock, signal }: Pick<Context, "minBlock" | "signal">,
  read: () => Promise<T>,
  reached: (result: T, minBlock: bigint) => boolean,
): Promise<T> {
  const deadline = performance.now() + MIN_BLOCK_PATIENCE_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= PAUSE_GROWTH) {
    const result = await read();
    if (minBlock === null || reached(result, minBlock)) return result;
    const leftMs = deadline - performance.now();
    if (signal.aborted || leftMs <= 0) throw new MinBlockNotReached(minBlock);
    await Bun.sleep(Math.min(pauseMs, leftMs));
  }
}

/** NOT_INDEXED for a request that names a block which is not known yet. */
export class MinBlockNotReached extends ServiceError {
  constructor(minBlock: bigint) {
    const message = `Block ${minBlock}, the minBlock of the request, was not reached within ${MIN_BLOCK_PATIENCE_MS / 1000} s; send the request again`;
    super("NOT_INDEXED", message, { headers: { "Retry-After": "2" } });
  }
}

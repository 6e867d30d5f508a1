import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { ServiceError } from "@dueday/core/errors";
import type { IndexedLog } from "@dueday/db/index/indexedLog";
import type { RangeSize } from "./createRangeSize";
import { fetchRange } from "./fetchLogs";
import type { IndexContext } from "./indexContext";

/** Failures that do not depend on the range. */
const NOT_THE_RANGE = new Set<unknown>(["unreachable", "wrong_chain"]);

/**
 * Fetches ranges; one that fails is halved, down to one block.
 *
 * Halves are requested one at a time, over all ranges: requests of one tick share an answer and the bound on its size, so
 * that several dense blocks requested together would always fail together.
 */
export function createNarrowingFetch(context: IndexContext, size: RangeSize) {
  let lastHalf: Promise<unknown> = Promise.resolve();

  async function fetchHalves(from: number, to: number): Promise<IndexedLog[]> {
    if (from === to) return fetchRange(context, from, to);
    const middle = Math.floor((from + to) / 2);
    const lower = await fetchOrHalve(from, middle);
    return [...lower, ...(await fetchOrHalve(middle + 1, to))];
  }

  async function fetchOrHalve(from: number, to: number): Promise<IndexedLog[]> {
    return (await fetchOnce(from, to)) ?? fetchHalves(from, to);
  }

  /** Null where the range may be too wide. */
  async function fetchOnce(from: number, to: number): Promise<IndexedLog[] | null> {
    const blocks = to - from + 1;
    try {
      const logs = await fetchRange(context, from, to);
      size.accept(blocks, logs.length);
      return logs;
    } catch (error) {
      if (!mayBeTooWide(error)) throw error;
      size.refuse(blocks);
      return null;
    }
  }

  return async (from: number, to: number): Promise<IndexedLog[]> => {
    const logs = await fetchOnce(from, to);
    if (logs !== null) return logs;
    const halves = lastHalf.then(() => fetchHalves(from, to));
    lastHalf = halves.catch(() => {});
    return halves;
  };
}

/**
 * Whether a narrower request may succeed. Nodes report "too wide" in many ways: an error of any code, an answer over the size
 * bound, one that is cut off, or none in time.
 */
export function mayBeTooWide(error: unknown): boolean {
  if (error instanceof RpcRefusal) return true;
  return error instanceof ServiceError && !NOT_THE_RANGE.has(error.details.failure);
}

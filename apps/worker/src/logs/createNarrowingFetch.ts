import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { ServiceError } from "@dueday/core/errors";
import type { IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { allowedBlocks, type RangeSize } from "./createRangeSize";
import { fetchDenseBlock, fetchRange, type LogSource } from "./fetchLogs";

/** Failures that do not depend on the range. A node that limits calls must not get two instead of one. */
const NOT_THE_RANGE = new Set<unknown>(["unreachable", "wrong_chain", "rate_limited", "overloaded"]);

/** Fetches ranges. One that fails is split into parts that the node names as allowed or has accepted, else into halves, down to one block. */
export function createNarrowingFetch(source: LogSource, size: RangeSize) {
  return async function fetchNarrowing(from: number, to: number): Promise<IndexedLog[]> {
    const blocks = to - from + 1;
    try {
      const logs = await fetchRange(source, from, to);
      size.accept(blocks, logs.length);
      return logs;
    } catch (error) {
      if (!mayBeTooWide(error)) throw error;
      if (blocks === 1) return fetchDenseBlock(source, from, error);
      const hint = error instanceof RpcRefusal ? allowedBlocks(error.message, blocks) : null;
      size.refuse(blocks, hint);
      const step = hint ?? Math.min(Math.ceil(blocks / 2), size.current());
      const logs: IndexedLog[] = [];
      for (let start = from; start <= to; start += step) {
        for (const log of await fetchNarrowing(start, Math.min(to, start + step - 1))) logs.push(log);
      }
      return logs;
    }
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

import type { IndexedBlock, IndexedLog } from "@dueday/db/index/indexedLog";
import { analyzeIndex } from "@dueday/db/queries/analyzeIndex";
import { applyLogs } from "./applyLogs";
import { createNarrowingFetch } from "./createNarrowingFetch";
import { createRangeSize } from "./createRangeSize";
import { type Header, readHeader, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";

/** Ranges fetched at a time. They are stored in order. */
const RANGES_IN_FLIGHT = 4;

type FetchedRange = { end: IndexedBlock; logs: IndexedLog[] };

/**
 * Indexes final blocks in ranges as wide as the node accepts, from the checkpoint up to `target`.
 *
 * @returns false when another worker moved the checkpoint meanwhile.
 */
export async function backfill(
  context: IndexContext,
  { after, target, head, signal }: { after: IndexedBlock; target: number; head: Header; signal: AbortSignal },
): Promise<boolean> {
  const size = createRangeSize();
  const fetchNarrowing = createNarrowingFetch(context, size);
  const inFlight: Promise<FetchedRange>[] = [];
  let next = after.number + 1;
  let checkpoint = after;

  async function fetchWithEnd(from: number, to: number): Promise<FetchedRange> {
    // Not in one request: an answer over the size bound would take the header with it.
    const logs = await fetchNarrowing(from, to);
    const header = await readHeader(context.chainData.rpc, to);
    return { end: toIndexedBlock(header), logs };
  }

  context.progress.begin(after.number, target);
  try {
    while (!signal.aborted) {
      while (inFlight.length < RANGES_IN_FLIGHT && next <= target) {
        const to = Math.min(target, next + size.current() - 1);
        const range = fetchWithEnd(next, to);
        // A later range may fail while an earlier one is awaited: its failure is handled in its turn.
        range.catch(() => {});
        inFlight.push(range);
        next = to + 1;
      }
      const first = inFlight.shift();
      if (first === undefined) break;
      const { end, logs } = await first;
      const fetched = { after: checkpoint, checkpoint: end, blocks: [end], logs };
      if (!(await applyLogs(context, { ...fetched, stateBlock: head, headNumber: Number(head.number) }))) return false;
      checkpoint = end;
    }
  } finally {
    context.progress.end();
  }
  await analyzeIndex(context.database);
  return true;
}

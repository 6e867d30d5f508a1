import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { ServiceError } from "@dueday/core/errors";
import type { IndexedBlock, IndexedLog } from "@dueday/db/index/indexedLog";
import { analyzeIndex } from "@dueday/db/queries/analyzeIndex";
import { applyLogs } from "./applyLogs";
import { fetchRange } from "./fetchLogs";
import { type Header, readHeader, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";
import { createRangeSize, type RangeSize } from "./rangeSize";

/** Ranges under way at a time. They are stored in order. */
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
  const underWay: Promise<FetchedRange>[] = [];
  let next = after.number + 1;
  let checkpoint = after;
  context.progress.begin(after.number, target);
  while (!signal.aborted) {
    while (underWay.length < RANGES_IN_FLIGHT && next <= target) {
      const to = Math.min(target, next + size.current() - 1);
      const range = fetchWithEnd(context, size, next, to);
      // A later range may fail while an earlier one is still awaited: it is heard of when its turn comes.
      range.catch(() => {});
      underWay.push(range);
      next = to + 1;
    }
    const first = underWay.shift();
    if (first === undefined) break;
    const { end, logs } = await first;
    const fetched = { after: checkpoint, checkpoint: end, blocks: [end], logs };
    if (!(await applyLogs(context, { ...fetched, stateBlock: head, headNumber: Number(head.number) }))) return false;
    checkpoint = end;
  }
  context.progress.end();
  await analyzeIndex(context.database);
  return true;
}

async function fetchWithEnd(context: IndexContext, size: RangeSize, from: number, to: number): Promise<FetchedRange> {
  // Not in one request: an answer over the cap would take the header along.
  const logs = await fetchNarrowing(context, size, from, to);
  const header = await readHeader(context.chainData.rpc, to);
  return { end: toIndexedBlock(header), logs };
}

/** Asks again for each half where the whole fails, down to one block. */
async function fetchNarrowing(context: IndexContext, size: RangeSize, from: number, to: number): Promise<IndexedLog[]> {
  try {
    const logs = await fetchRange(context, from, to);
    size.accept(to - from + 1, logs.length);
    return logs;
  } catch (error) {
    if (from === to || !mayBeTooWide(error)) throw error;
    size.refuse(to - from + 1);
    const middle = Math.floor((from + to) / 2);
    const lower = await fetchNarrowing(context, size, from, middle);
    return [...lower, ...(await fetchNarrowing(context, size, middle + 1, to))];
  }
}

/**
 * Nodes say "too wide" in many ways: by an error of any code, an answer over the cap, one that is cut off, or none in time.
 * That a node is away is none of them.
 */
function mayBeTooWide(error: unknown): boolean {
  if (error instanceof RpcRefusal) return true;
  return (
    error instanceof ServiceError && error.details.failure !== "unreachable" && error.details.failure !== "wrong_chain"
  );
}

import type { IndexedBlock, IndexedLog } from "@dueday/db/index/indexedLog";
import { analyzeIndex } from "@dueday/db/queries/analyzeIndex";
import { applyLogs, type LogFacts, readLogFacts } from "./applyLogs";
import { createNarrowingFetch } from "./createNarrowingFetch";
import { createRangeSize } from "./createRangeSize";
import { type Header, readHeader, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";

/** Ranges fetched at a time. They are stored in order. */
const RANGES_IN_FLIGHT = 4;

export type BackfillParameters = {
  after: IndexedBlock;
  target: number;
  head: Header;
  signal: AbortSignal;
  /** Blocks of the first range, as learned by an earlier backfill; null: not known. */
  rangeBlocks: number | null;
};

type FetchedRange = { end: IndexedBlock; logs: IndexedLog[]; facts: LogFacts };

/**
 * Indexes final blocks in ranges as wide as the node accepts, from the checkpoint up to `target`.
 *
 * @returns false when another worker moved the checkpoint meanwhile.
 */
export async function backfill(
  context: IndexContext,
  { after, target, head, signal, rangeBlocks }: BackfillParameters,
): Promise<boolean> {
  const headNumber = Number(head.number);
  const size = createRangeSize({ first: rangeBlocks ?? undefined });
  const archiveRpc = context.chainData.archiveRpc ?? context.chainData.rpc;
  const source = { ...context, chainData: { ...context.chainData, rpc: archiveRpc } };
  const fetchNarrowing = createNarrowingFetch(source, size);
  const inFlight: Promise<FetchedRange>[] = [];
  let next = after.number + 1;
  let checkpoint = after;

  async function fetchWithEnd(from: number, to: number): Promise<FetchedRange> {
    const fetched = fetchNarrowing(from, to).then(async (logs) => ({
      logs,
      facts: await readLogFacts(context, { logs, stateBlock: head, headNumber }),
    }));
    // In another turn, and so in another request: a long answer would take the header with it.
    const header = new Promise((resolve) => setTimeout(resolve, 0)).then(() => readHeader(archiveRpc, to));
    const [range, end] = await Promise.all([fetched, header]);
    return { end: toIndexedBlock(end), ...range };
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
      const { end, logs, facts } = await first;
      const fetched = { after: checkpoint, checkpoint: end, blocks: [end], logs, stateBlock: head, headNumber };
      const isFinal = end.number <= headNumber - context.chain.finalityBlocks;
      if (!(await applyLogs(context, { ...fetched, isFinal, rangeBlocks: size.current() }, facts))) return false;
      checkpoint = end;
    }
  } finally {
    context.progress.end();
  }
  await analyzeIndex(context.database);
  return true;
}

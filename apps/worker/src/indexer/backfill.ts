import type { IndexedBlock, IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { type BatchPart, type LogBatch, storeLogsAhead } from "@dueday/db/indexing/storeLogs";
import { createNarrowingFetch } from "../logs/createNarrowingFetch";
import { createRangeSize } from "../logs/createRangeSize";
import { joinFacts, type LogFacts, readLogFacts, toBatch } from "./applyLogs";
import { createReadAhead } from "./createReadAhead";
import { type Header, readHeader, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";

/** Ranges fetched at a time. */
const RANGES_IN_FLIGHT = 4;
/** While more logs wait to be copied, no further range is fetched: a log takes 1.3 kB, and two batches are being stored meanwhile. */
const MOST_WAITING_LOGS = 8_000;
/** Ranges are stored together, which costs less for each log: at most as many logs as the last transaction stored in this time. */
const TRANSACTION_MS = 1_000;
/** A transaction that has this number of logs takes no further range: its logs stay in memory until it is committed. */
const MOST_LOGS_AT_ONCE = 16_000;
/** A transaction waits for this number of logs, or for `TRANSACTION_MS`: applied 5,000 at a time, each log costs 1.3 times as much. */
const ENOUGH_LOGS = 12_000;

export type BackfillParameters = {
  after: IndexedBlock;
  target: number;
  /** Blocks up to this one are final. */
  finalNumber: number;
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
  { after, target, finalNumber, head, signal, rangeBlocks }: BackfillParameters,
): Promise<boolean> {
  const headNumber = Number(head.number);
  const size = createRangeSize({ first: rangeBlocks ?? undefined });
  const archiveRpc = context.chainData.archiveRpc ?? context.chainData.rpc;
  const source = { ...context, chainData: { ...context.chainData, rpc: archiveRpc } };
  const fetchNarrowing = createNarrowingFetch(source, size);
  let next = after.number + 1;
  let checkpoint = after;

  async function fetchWithEnd(from: number, to: number): Promise<FetchedRange> {
    const fetched = fetchNarrowing(from, to).then(async (logs) => ({
      logs,
      facts: await readLogFacts(source, { logs, stateBlock: head }),
    }));
    // In another turn, and so not in the same batch: the header would fail with logs that are too long.
    const header = new Promise((resolve) => setTimeout(resolve, 0)).then(() => readHeader(archiveRpc, to));
    const [range, end] = await Promise.all([fetched, header]);
    return { end: toIndexedBlock(end), ...range };
  }

  const ahead = createReadAhead<FetchedRange>({
    begin() {
      if (next > target || signal.aborted) return null;
      const from = next;
      next = Math.min(target, from + size.current() - 1) + 1;
      return fetchWithEnd(from, next - 1);
    },
    sizeOf: ({ logs }) => logs.length,
    inFlight: RANGES_IN_FLIGHT,
    mostWaiting: MOST_WAITING_LOGS,
  });
  /** The next transaction takes no further range once it has this number of logs. The first one is one range, because the speed is not known. */
  let logsAtOnce = 0;
  /** Whether the previous transaction is stored. While its derived tables are written, the logs of the next one are copied. */
  let before = Promise.resolve(true);
  let storedAt = 0;

  /** Stores ranges in one transaction: the first ones, and those that arrive before it begins (see `ENOUGH_LOGS`). */
  async function store(first: readonly FetchedRange[], onTurn: () => void): Promise<boolean> {
    const beganAt = performance.now();
    const ranges: FetchedRange[] = [];
    let logs: IndexedLog[] = [];
    let end = checkpoint;
    const ourTurn = before.catch(() => {});
    const lateEnough = Promise.all([ourTurn, Bun.sleep(TRANSACTION_MS)]);

    async function collect(copy: (part: BatchPart) => Promise<void>): Promise<LogBatch> {
      for (let more = first; more.length > 0; ) {
        const { terms, events } = joinFacts(more.map((range) => range.facts));
        await copy({ logs: more.flatMap((range) => range.logs), terms, events });
        ranges.push(...more);
        const count = ranges.reduce((sum, range) => sum + range.logs.length, 0);
        const isTime = (count < ENOUGH_LOGS ? lateEnough : ourTurn).then(() => true);
        const isDone = count >= logsAtOnce || (await Promise.race([isTime, ahead.ready().then(() => false)]));
        // The next `ahead.next()` rejects again with the failure of a range.
        more = isDone ? [] : await ahead.next(logsAtOnce - count).catch(() => []);
      }
      logs = ranges.flatMap((range) => range.logs);
      end = ranges.at(-1)?.end ?? end;
      const after = checkpoint;
      checkpoint = end;
      const isFinal = end.number <= finalNumber;
      const blocks = ranges.map((range) => range.end);
      const fetched = { after, checkpoint: end, blocks, logs, stateBlock: head, headNumber };
      const facts = joinFacts(ranges.map((range) => range.facts));
      return toBatch(context, { ...fetched, isFinal, rangeBlocks: size.current() }, facts);
    }

    const stored = await storeLogsAhead(context.database, context.chain, { before, collect, onTurn });
    if (stored) context.progress.advance(end.number, logs.length);
    const now = performance.now();
    logsAtOnce = Math.min(MOST_LOGS_AT_ONCE, (logs.length * TRANSACTION_MS) / (now - Math.max(beganAt, storedAt)));
    storedAt = now;
    return stored;
  }

  context.progress.begin(after.number, target);
  try {
    while (!signal.aborted) {
      const ranges = await ahead.next(logsAtOnce);
      if (ranges.length === 0) break;
      const turn = Promise.withResolvers<void>();
      before = store(ranges, turn.resolve);
      // Its failure rejects the next transaction, or the `await` at the end.
      before.catch(() => {});
      if ((await Promise.race([turn.promise, before])) === false) return false;
    }
    await before;
  } finally {
    // Nothing may be written after this function has ended.
    await Promise.allSettled([before]);
    context.progress.end();
  }
  return true;
}

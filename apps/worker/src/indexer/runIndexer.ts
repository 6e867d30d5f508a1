import type { BlockRange } from "@dueday/db/eventIndex/indexedLog";
import { analyzeIndex } from "@dueday/db/indexing/analyzeIndex";
import { createFaultLog } from "../createFaultLog";
import type { ChainUpdate } from "../logs/chainUpdate";
import { completeIndex } from "./completeIndex";
import { type Covered, createCoverage } from "./createCoverage";
import type { IndexContext } from "./indexContext";
import { indexLogs } from "./indexLogs";
import { proveRanges } from "./proveRanges";
import { recheckLogs } from "./recheckLogs";

export type Indexer = {
  /** Applies an update soon, in order. */
  update(update: ChainUpdate): void;
  /** The follower works: the chain still has the head of the last update. */
  noteHead(): void;
  /** Up to which block the index is complete; null while it catches up. */
  covered(): Covered | null;
  stop(): Promise<void>;
};

export type RunIndexerOptions = {
  /** After this time without an update or a head, the indexer requests the head itself. Default 350 ms, for an indexer without a follower. */
  pollMs?: number;
  /** Time between two checks of recent logs. Default a minute. */
  recheckMs?: number;
  /** Blocks without events are stored after this time, where no check of recent logs stores them before. Default 75 s. */
  storeEveryMs?: number;
  /** Called when what is covered may have changed. */
  onCovered?(): void;
};

const FIRST_RETRY_MS = 350;
/** A node that is back is noticed within this time. */
const LONGEST_RETRY_MS = 4_000;
/** Time from the end of a catch-up to a check of the logs that it read. */
const CATCH_UP_RECHECK_MS = 5_000;
/** Updates kept while the index is busy. Beyond them it reads the logs itself. */
const MOST_UPDATES = 256;

/**
 * Keeps the event index at the chain's head until `stop()`. A separate loop and not a job of the scheduler: a backfill
 * may take hours, and the scans must not wait for it. After a failure it retries with growing pauses, up to 4 s. It runs in the one
 * worker that holds the chain's lease; a batch that does not follow the stored checkpoint is refused all the same.
 */
export function runIndexer(
  context: IndexContext,
  { pollMs = 350, recheckMs = 60_000, storeEveryMs = 75_000, onCovered = () => {} }: RunIndexerOptions = {},
): Indexer {
  const { database, logger } = context;
  const coverage = createCoverage(context, storeEveryMs);
  const texts = { failed: "indexing events failed; retrying", succeeded: "events are indexed again" };
  const faults = createFaultLog(logger, texts);
  const aborter = new AbortController();
  const stopped = Promise.withResolvers<void>();
  let wake = Promise.withResolvers<void>();
  let updates: ChainUpdate[] = [];
  let mustCatchUp = true;
  let heardAt = performance.now();
  let recheckedAt = performance.now();
  let safeBlock = 0;
  /** The blocks that the last catch-up may have read too early, until their logs are compared. */
  let unsure: BlockRange | null = null;
  let isComplete = false;
  let completeAt = 0;

  async function pass(): Promise<void> {
    for (let [update] = updates; update !== undefined && !mustCatchUp; [update] = updates) {
      mustCatchUp = !(await coverage.apply(update));
      // Unless it was dropped meanwhile, because too many updates were waiting.
      if (updates[0] === update) updates.shift();
    }
    if (mustCatchUp) await catchUp();
    if (aborter.signal.aborted) return;
    onCovered();
    // Done after the catch-up. If the node lacks the receipts, it is retried later, and the index stays at the head.
    if (!isComplete && performance.now() >= completeAt) {
      isComplete = await completeIndex(context, aborter.signal);
      completeAt = performance.now() + recheckMs;
    }
    if (performance.now() - recheckedAt >= recheckMs && !aborter.signal.aborted) {
      recheckedAt = performance.now();
      // Blocks that are too expensive to read are too expensive to compare.
      if (coverage.isUnread()) return;
      const store = coverage.storeProof;
      ({ safeBlock } = await recheckLogs(context, { safeBefore: safeBlock, unsure, store }));
      unsure = null;
      await proveRanges(context);
      mustCatchUp = !(await coverage.isCurrent());
    }
  }

  async function catchUp(): Promise<void> {
    // The catch-up reads the blocks of these updates too.
    updates = [];
    await coverage.end();
    const { hasReadRanges, young } = await indexLogs(context, aborter.signal);
    unsure = young ?? unsure;
    if (aborter.signal.aborted) return;
    // All events are served by now. If a pass fails before this line, autovacuum updates the statistics.
    if (hasReadRanges) await analyzeIndex(database);
    await coverage.begin();
    mustCatchUp = false;
    // The logs of the last blocks may have been late.
    recheckedAt = Math.min(recheckedAt, performance.now() - recheckMs + CATCH_UP_RECHECK_MS);
  }

  async function loop(): Promise<void> {
    for (let failures = 0; !aborter.signal.aborted; ) {
      try {
        await pass();
        failures = 0;
        faults.succeeded();
      } catch (error) {
        failures++;
        mustCatchUp = true;
        faults.failed(error);
      }
      await pause(failures);
    }
  }

  async function pause(failures: number): Promise<void> {
    if (failures > 0) {
      const pauseMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10));
      await Promise.race([Bun.sleep(pauseMs), stopped.promise]);
    } else if (updates.length === 0 && !mustCatchUp) {
      await Promise.race([Bun.sleep(pollMs), wake.promise]);
      if (performance.now() - heardAt >= pollMs) mustCatchUp = true;
    }
    wake = Promise.withResolvers();
  }

  function hear(): void {
    heardAt = performance.now();
    wake.resolve();
  }

  const running = loop();
  return {
    update(update) {
      updates.push(update);
      if (updates.length > MOST_UPDATES) updates = updates.slice(-1);
      hear();
    },
    noteHead: hear,
    // An update without logs means that the follower knows less than the index needs: the chain was reorganised, or the follower was away.
    covered: () => (mustCatchUp || updates.some(({ logs }) => logs === null) ? null : coverage.covered()),
    async stop() {
      aborter.abort();
      stopped.resolve();
      wake.resolve();
      await running;
    },
  };
}

import { withIndexLock } from "@dueday/db/index/withIndexLock";
import { analyzeIndex } from "@dueday/db/queries/analyzeIndex";
import type { ChainUpdate } from "../follow/createFollower";
import { applyUpdate } from "./applyUpdate";
import { completeIndex } from "./completeIndex";
import type { Header } from "./headers";
import type { IndexContext } from "./indexContext";
import { indexLogs } from "./indexLogs";
import { recheckLogs } from "./recheckLogs";

export type Indexer = {
  /** Applies an update soon, in order. */
  update(update: ChainUpdate): void;
  /** The chain still has this head, which counts as a confirmation of an index that has reached it. */
  confirm(head: Header): void;
  stop(): Promise<void>;
};

export type RunIndexerOptions = {
  /** Without an update or a confirmation for so long, the head is asked for here. Default 350 ms, for an indexer without a follower. */
  pollMs?: number;
  /** Time between two checks of recent logs. Default a minute. */
  recheckMs?: number;
};

const FIRST_RETRY_MS = 350;
/** A node that is back is noticed within this time. */
const LONGEST_RETRY_MS = 4_000;
/** Often enough for any STALE_AFTER_MS: a chain without new blocks must not make its index look stale. */
const CONFIRM_EVERY_MS = 1_000;
/** Time from the end of a catch-up to a check of the logs that it read. */
const CATCH_UP_RECHECK_MS = 5_000;
/** Updates kept while the index is busy. Beyond them it reads the logs itself. */
const MOST_UPDATES = 256;

/**
 * Keeps the event index at the chain's head until `stop()`. A loop of its own and not a job of the scheduler: a backfill
 * may take hours, and the scans must not wait for it. After a failure it retries with growing pauses, up to 4 s.
 */
export function runIndexer(
  context: IndexContext,
  { pollMs = 350, recheckMs = 60_000 }: RunIndexerOptions = {},
): Indexer {
  const { chain, database, logger } = context;
  const aborter = new AbortController();
  const stopped = Promise.withResolvers<void>();
  let wake = Promise.withResolvers<void>();
  let updates: ChainUpdate[] = [];
  let mustCatchUp = true;
  /** A head to confirm. */
  let confirmed: Header | null = null;
  let confirmedAt = performance.now();
  let recheckedAt = performance.now();
  let safeBlock = 0;
  let isComplete = false;
  let completeAt = 0;

  async function pass(): Promise<true> {
    for (let [update] = updates; update !== undefined && !mustCatchUp; [update] = updates) {
      mustCatchUp = !(await applyUpdate(context, update));
      updates.shift();
    }
    let hasReadRanges = false;
    if (mustCatchUp) {
      // What they hold is below the head that is caught up with.
      updates = [];
      hasReadRanges = await indexLogs(context, aborter.signal);
      mustCatchUp = false;
      // The logs of the last blocks may have been late.
      recheckedAt = Math.min(recheckedAt, performance.now() - recheckMs + CATCH_UP_RECHECK_MS);
    } else if (confirmed !== null) hasReadRanges = await indexLogs(context, aborter.signal, confirmed);
    // All events are served by now. Where a pass fails before this, autovacuum does it.
    if (hasReadRanges && !aborter.signal.aborted) await analyzeIndex(database);
    confirmed = null;
    // After the catch-up. Where the node lacks the receipts, it is tried again and the index goes on.
    if (!isComplete && performance.now() >= completeAt && !aborter.signal.aborted) {
      isComplete = await completeIndex(context, aborter.signal);
      completeAt = performance.now() + recheckMs;
    }
    if (performance.now() - recheckedAt >= recheckMs && !aborter.signal.aborted) {
      recheckedAt = performance.now();
      ({ safeBlock } = await recheckLogs(context, safeBlock));
    }
    return true;
  }

  async function loop(): Promise<void> {
    for (let failures = 0; !aborter.signal.aborted; ) {
      try {
        // Another worker that holds the lock indexes what this one would.
        if ((await withIndexLock(database, chain, pass)) === null) updates = [];
        failures = 0;
      } catch (error) {
        failures++;
        mustCatchUp = true;
        if (failures === 1) logger.warn({ err: error }, "indexing events failed; retrying");
      }
      await pause(failures);
    }
  }

  async function pause(failures: number): Promise<void> {
    if (failures > 0) {
      const pauseMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10));
      await Promise.race([Bun.sleep(pauseMs), stopped.promise]);
    } else if (updates.length === 0) {
      const isIdle = await Promise.race([Bun.sleep(pollMs).then(() => true), wake.promise]);
      if (isIdle === true) mustCatchUp = true;
    }
    wake = Promise.withResolvers();
  }

  const running = loop();
  return {
    update(update) {
      updates.push(update);
      if (updates.length > MOST_UPDATES) updates = updates.slice(-1);
      wake.resolve();
    },
    confirm(head) {
      if (performance.now() - confirmedAt < CONFIRM_EVERY_MS) return;
      confirmedAt = performance.now();
      confirmed = head;
      wake.resolve();
    },
    async stop() {
      aborter.abort();
      stopped.resolve();
      wake.resolve();
      await running;
    },
  };
}

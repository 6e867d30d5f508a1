import { withIndexLock } from "@dueday/db/index/withIndexLock";
import type { IndexContext } from "./indexContext";
import { indexLogs } from "./indexLogs";
import { recheckBlocks } from "./recheckBlocks";

/** Together with one poll a second of the head, below 4 requests a second. */
const POLL_MS = 350;
/** A node that is back is noticed within this time. */
const LONGEST_POLL_MS = 4_000;
const RECHECK_EVERY_MS = 60_000;

/**
 * Keeps the event index at the chain's head until `stop()`. A loop of its own and not a job of the scheduler: a backfill
 * may take hours, and the scans must not wait for it. After a failure it retries with growing pauses, up to 4 s.
 */
export function runIndexer(context: IndexContext): { stop(): Promise<void> } {
  const { chain, database, logger } = context;
  const aborter = new AbortController();
  const stopped = Promise.withResolvers<void>();
  let recheckedAt = performance.now();

  async function pass(): Promise<void> {
    await indexLogs(context, aborter.signal);
    if (performance.now() - recheckedAt < RECHECK_EVERY_MS) return;
    recheckedAt = performance.now();
    await recheckBlocks(context);
  }

  async function loop(): Promise<void> {
    for (let failures = 0; !aborter.signal.aborted; ) {
      try {
        await withIndexLock(database, chain, pass);
        failures = 0;
      } catch (error) {
        failures++;
        if (failures === 1) logger.warn({ err: error }, "indexing events failed; retrying");
      }
      const pauseMs = Math.min(LONGEST_POLL_MS, POLL_MS * 2 ** Math.min(failures, 10));
      await Promise.race([Bun.sleep(pauseMs), stopped.promise]);
    }
  }

  const running = loop();
  return {
    async stop() {
      aborter.abort();
      stopped.resolve();
      await running;
    },
  };
}

import { isIndexComplete, readUnreadReceipts, storeReceipts } from "@dueday/db/indexing/completeIndex";
import { rebuildDerived } from "@dueday/db/indexing/rebuildDerived";
import type { IndexContext } from "./indexContext";
import { readReceipts } from "./readEventFacts";

/** Receipts that are stored together: after a stop, the next worker continues with those that are not stored. */
const RECEIPTS_AT_ONCE = 1_000;

/**
 * Completes an index that an earlier release made: reads the receipts that it lacks and rebuilds the derived tables. Until then the
 * queries through `readCompleteIndex` (money, metrics, remits) return `not_indexed`; everything else is served and updated.
 *
 * @returns whether the index is complete; false where it was stopped or could not be completed, which is logged
 */
export async function completeIndex(context: IndexContext, signal: AbortSignal): Promise<boolean> {
  const { database, chain, logger } = context;
  if (await isIndexComplete(database, chain)) return true;
  logger.info({}, "the index is of an earlier release: its receipts are read and its derived tables rebuilt");
  try {
    while (!signal.aborted) {
      const unread = await readUnreadReceipts(database, chain, RECEIPTS_AT_ONCE);
      if (unread.length === 0) break;
      await storeReceipts(database, chain, await readReceipts(context, unread));
    }
    if (signal.aborted) return false;
    await rebuildDerived(database, chain);
  } catch (error) {
    const hint =
      "the index is not complete yet: income, spending, payments, metrics, cohorts, remit history and keepers are not served. It is tried again; a large index needs `bun run rebuild`";
    logger.warn({ err: error }, hint);
  }
  return isIndexComplete(database, chain);
}

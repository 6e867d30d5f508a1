import { type AgeLimit, isOutdated } from "../health/isOutdated";

/**
 * Whether answers from the event index are stale: its last block is further behind the head than the stale limit, or was confirmed longer
 * ago than that.
 */
export function isIndexStale(
  { behindSeconds, confirmedAt }: { behindSeconds: number; confirmedAt: Date },
  limit: AgeLimit,
): boolean {
  return behindSeconds * 1_000 > limit.staleAfterMs || isOutdated(confirmedAt.getTime(), limit);
}

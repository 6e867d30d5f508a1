import { type AgeLimit, isOutdated } from "../isOutdated";

export type IndexLimits = AgeLimit & {
  /** Further behind the head than this, the index is still catching up. */
  finalityBlocks: number;
};

/** Whether answers from the event index are stale: it is behind the head, or was not confirmed within the stale limit. */
export function isIndexStale(
  { behindBlocks, confirmedAt }: { behindBlocks: number; confirmedAt: Date },
  limits: IndexLimits,
): boolean {
  return behindBlocks > limits.finalityBlocks || isOutdated(confirmedAt.getTime(), limits);
}

import type { RpcProfile } from "@dueday/config/chains";

/**
 * How often a chain's node is asked, whatever the number of its blocks, in milliseconds. What that costs a day is in docs/scaling.md:
 * one poll is a header and a range of logs.
 */
export type Pace = {
  /** From one poll of the head to the next, where blocks come faster than this. */
  headMs: number;
  /** The same while a WebSocket sends the events. */
  liveHeadMs: number;
  /** From one comparison of a remembered hash with the chain to the next: a reorganisation is noticed within this time. */
  pathMs: number;
};

export const paces: Record<RpcProfile, Pace> = {
  fresh: { headMs: 1_600, liveHeadMs: 3_000, pathMs: 8_000 },
  frugal: { headMs: 15_000, liveHeadMs: 15_000, pathMs: 60_000 },
};

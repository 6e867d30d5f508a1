import type { HeadAge } from "./headAge";

/** Why a chain is not served freshly. */
export const causes = ["clock", "database", "node_stopped", "node_behind", "worker"] as const;
export type Cause = (typeof causes)[number];

export type Circumstances = {
  /** What is stale or missing, each as a sentence without its cause; empty where nothing is. */
  symptoms: readonly string[];
  /** Something is dated later than this machine's clock. */
  isDatedAhead: boolean;
  databaseIsAway: boolean;
  /** Why the node can't be used; null where it can. */
  nodeFault: string | null;
  /** Null before the first head. */
  headAge: HeadAge | null;
  /** Seconds between the newest block's time and this machine's clock; null without a block, or where the chain's clock has no bound. */
  blockAgeSeconds: number | null;
  /** Worker processes that have reported themselves. */
  workers: number;
};

/** A node that still gets blocks is behind its chain where its newest block is older than this, in seconds. */
const BEHIND_SECONDS = 60;

/**
 * The first thing that explains the symptoms: a wrong clock makes everything look stale, without the database nothing is known of the
 * worker, and without new blocks the worker has nothing to do. Null where there is nothing to explain.
 */
export function findCause(circumstances: Circumstances): { cause: Cause; reason: string } | null {
  const { symptoms, isDatedAhead, databaseIsAway, nodeFault, headAge, blockAgeSeconds, workers } = circumstances;
  const because = (cause: Cause, reason: string) => ({ cause, reason: [reason, ...symptoms].join("; ") });
  if (isDatedAhead) return because("clock", "the clocks of API and worker differ: set them right");
  if (databaseIsAway) return because("database", "the database does not answer");
  if (nodeFault !== null) return because("node_stopped", `no node of the chain can be used: ${nodeFault}`);
  if (headAge?.isStopped === true) return because("node_stopped", describeStop(headAge));
  if (blockAgeSeconds !== null && blockAgeSeconds > BEHIND_SECONDS) {
    const age = Math.round(blockAgeSeconds);
    return because("node_behind", `the node goes on, but its newest block is ${age} s old: it is behind the chain`);
  }
  if (symptoms.length === 0) return null;
  return because("worker", workers === 0 ? "no worker reports: is one running?" : "a worker runs and does not keep up");
}

function describeStop({ seconds, usualSeconds }: HeadAge): string {
  const before = usualSeconds === null ? "" : `; before, it changed at least every ${Math.ceil(usualSeconds)} s`;
  return `the chain's newest block has not changed for ${Math.round(seconds)} s${before}: the node or the chain has stopped`;
}

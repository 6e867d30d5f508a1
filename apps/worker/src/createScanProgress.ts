import type { BulkReads } from "@dueday/chain/remit/state/bulkReads";
import { ServiceError } from "@dueday/core/errors";
import type { WorkerMessage } from "@dueday/db/workerMessage";

export type RunningScan = NonNullable<WorkerMessage["queues"][number]["scan"]>;

export type ScanProgress = {
  /** Follows one run of a job, and waits for it. */
  follow(job: RunningScan["job"], run: () => Promise<void>): Promise<void>;
  /** The same reads. Their subscriptions are counted for the running scan, and they throw like `check`. */
  over(reads: BulkReads): BulkReads;
  /** Throws ServiceError UPSTREAM_TIMEOUT when the deadline of the running scan has passed. */
  check(): void;
  /** The scan that runs; null where none does. */
  running(): RunningScan | null;
};

/** For planning, balances and writing, which take a minute for a million subscriptions on two quiet cores. */
const BASE_MS = 120_000;
/** For each subscription: a node that answers each request for 500 of them just before its last timeout, 24 requests at a time, takes 1.75 ms. */
const SUBSCRIPTION_MS = 2;
const CHANGE_EVERY_MS = 1_000;

/**
 * How far the running scan of a chain is, and by when it has to end. The deadline depends on the number of subscriptions, which the due
 * lists show before the subscriptions are read.
 *
 * @param onChange called each second of a run, and at its end; not for a run of less than a second
 * @param clock milliseconds since 1970
 */
export function createScanProgress(clock: () => number, onChange: () => void): ScanProgress {
  let current: {
    job: RunningScan["job"];
    startedAt: number;
    expected: number | null;
    subscriptionsRead: number;
  } | null = null;
  const deadlineOf = ({ startedAt, expected }: NonNullable<typeof current>) =>
    startedAt + BASE_MS + SUBSCRIPTION_MS * (expected ?? 0);

  function check(): void {
    if (current === null || clock() <= deadlineOf(current)) return;
    const { job, expected, subscriptionsRead } = current;
    throw new ServiceError("UPSTREAM_TIMEOUT", "A scan of the chain has not ended by its deadline", {
      details: { job, subscriptions: expected, subscriptionsRead },
      retryable: true,
    });
  }

  return {
    async follow(job, run) {
      current = { job, startedAt: clock(), expected: null, subscriptionsRead: 0 };
      let isReported = false;
      const timer = setInterval(() => {
        isReported = true;
        onChange();
      }, CHANGE_EVERY_MS);
      try {
        await run();
      } finally {
        clearInterval(timer);
        current = null;
        if (isReported) onChange();
      }
    },
    over: (reads) => ({
      ...reads,
      newStore(expected) {
        const store = reads.newStore();
        if (expected === undefined || current === null) return store;
        current.expected = (current.expected ?? 0) + expected;
        return {
          map: store.map,
          add(subscription) {
            store.add(subscription);
            if (current !== null) current.subscriptionsRead++;
            check();
          },
        };
      },
    }),
    check,
    running() {
      if (current === null) return null;
      const { job, startedAt, expected, subscriptionsRead } = current;
      return { job, startedAt, deadline: deadlineOf(current), subscriptions: expected, subscriptionsRead };
    },
  };
}

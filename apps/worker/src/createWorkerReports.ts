import type { Logger } from "@dueday/config/createLogger";
import type { Database } from "@dueday/db/connectDatabase";
import { notifyWorker, type WorkerMessage } from "@dueday/db/workerMessage";
import { createFaultLog } from "./createFaultLog";
import type { ScanProgress } from "./createScanProgress";
import type { Scheduler } from "./scheduler/scheduler";

type WatchedQueue = Pick<Scheduler, "kind" | "count" | "oldestWaitingAt"> & Pick<ScanProgress, "running">;

export type WorkerReports = {
  /** Reports the queue of a chain from now on, until the returned function is called. */
  watch(chainId: number, queue: WatchedQueue): () => void;
  /** Reports at once: what a queue does has changed. */
  hurry(): void;
  stop(): Promise<void>;
};

export type WorkerReportsOptions = {
  database: Database;
  logger: Logger;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Milliseconds between two reports. Default 10 s. */
  everyMs?: number;
};

const EVERY_MS = 10_000;
/** A report is valid for this number of intervals, so that a worker does not disappear when one report is lost. */
const VALID_FOR_REPORTS = 3;

/** Reports this worker process and its queues to the API processes, for /status. Nothing is stored. */
export function createWorkerReports(options: WorkerReportsOptions): WorkerReports {
  const { database, logger, clock, everyMs = EVERY_MS } = options;
  const worker = crypto.randomUUID();
  const queues = new Map<number, WatchedQueue>();
  const stopping = Promise.withResolvers<void>();
  let changed = Promise.withResolvers<void>();
  let isStopped = false;
  const texts = { failed: "the queues can't be reported to the API", succeeded: "the queues are reported again" };
  const faults = createFaultLog(logger, texts);

  async function report(): Promise<void> {
    try {
      const inspected = await Promise.all([...queues].map(([chainId, queue]) => inspect(chainId, queue, clock)));
      await notifyWorker(database, { worker, validForMs: VALID_FOR_REPORTS * everyMs, queues: inspected });
      faults.succeeded();
    } catch (error) {
      faults.failed(error);
    }
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      await report();
      await Promise.race([Bun.sleep(everyMs), changed.promise, stopping.promise]);
      changed = Promise.withResolvers();
    }
  }

  const running = run();
  return {
    watch(chainId, queue) {
      queues.set(chainId, queue);
      changed.resolve();
      return () => {
        if (queues.get(chainId) === queue) queues.delete(chainId);
      };
    },
    hurry: () => changed.resolve(),
    async stop() {
      isStopped = true;
      stopping.resolve();
      await running;
    },
  };
}

async function inspect(
  chainId: number,
  queue: WatchedQueue,
  clock: () => number,
): Promise<WorkerMessage["queues"][number]> {
  const { kind } = queue;
  const scan = queue.running();
  try {
    const [counts, oldestAt] = await Promise.all([queue.count(), queue.oldestWaitingAt()]);
    const { waiting = 0, prioritized = 0, active = 0 } = counts;
    const oldestSeconds = oldestAt === null ? null : Math.max(0, Math.round((clock() - oldestAt) / 1000));
    return { chainId, kind, waiting: waiting + prioritized, active, oldestSeconds, fault: null, scan };
  } catch {
    // The scheduler logs the error, whose text may name the server.
    return { chainId, kind, waiting: 0, active: 0, oldestSeconds: null, fault: "Redis does not answer", scan };
  }
}

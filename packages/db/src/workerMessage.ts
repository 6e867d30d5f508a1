import { type Static, Type } from "@sinclair/typebox";
import type { Database } from "./connectDatabase";
import { SNAPSHOT_CHANNEL } from "./snapshotChannel";

const Depth = Type.Integer({ minimum: 0 });

/**
 * What a worker process reports of itself: that it runs, and the queues of the chains that it works on. It is not stored. The next
 * message follows within `validForMs`.
 */
export const WorkerMessage = Type.Object({
  /** Distinguishes the processes. */
  worker: Type.String({ maxLength: 64 }),
  validForMs: Type.Integer({ minimum: 0 }),
  queues: Type.Array(
    Type.Object({
      chainId: Type.Integer(),
      kind: Type.Union([Type.Literal("bullmq"), Type.Literal("in_process")]),
      /** Jobs that are due and wait. */
      waiting: Depth,
      active: Depth,
      /** Age of the oldest job that waits; null where none does. */
      oldestSeconds: Type.Union([Type.Null(), Type.Integer({ minimum: 0 })]),
      /** Why the queue's store can't be used; null where it can. */
      fault: Type.Union([Type.Null(), Type.String({ maxLength: 200 })]),
      /** The scan that runs; null where none does. Absent from a worker of an earlier version. */
      scan: Type.Optional(
        Type.Union([
          Type.Null(),
          Type.Object({
            job: Type.Union([Type.Literal("scan_remit"), Type.Literal("scan_due"), Type.Literal("scan_forecast")]),
            /** Milliseconds since 1970. */
            startedAt: Depth,
            deadline: Depth,
            /** Number of subscriptions that the scan reads; null until it has the due lists. */
            subscriptions: Type.Union([Type.Null(), Depth]),
            subscriptionsRead: Depth,
          }),
        ]),
      ),
    }),
    { maxItems: 100 },
  ),
});
export type WorkerMessage = Static<typeof WorkerMessage>;

/** Sends a worker's report to the processes that listen for snapshots. */
export async function notifyWorker(database: Database, message: WorkerMessage): Promise<void> {
  await database.run("report the worker", () => database.sql.notify(SNAPSHOT_CHANNEL, JSON.stringify(message)));
}

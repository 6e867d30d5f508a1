import { waitUntil } from "@dueday/test-support/waitUntil";
import postgres from "postgres";
import { workers } from "./createProcesses";
import type { Fault, NoteRecovery } from "./faults";
import type { Readers } from "./startReaders";
import type { Stage } from "./startStage";

/** Faults after which every reader (two streams and a webhook) must have every event. */
export const eventFaults: readonly Fault[] = [
  {
    name: "both workers killed between a log and its event",
    expected: { polled: "may turn stale", live: "may fail" },
    run: (stage, note) => withReaders(stage, note, (readers) => killBetweenLogAndEvent(stage, readers)),
  },
  {
    name: "Redis empty while deliveries wait",
    expected: { polled: "may turn stale", live: "answered" },
    run: (stage, note) =>
      withReaders(stage, note, async (readers) => {
        readers.answer(500);
        await stage.nextDay();
        await waitUntil("deliveries that wait", () => readers.requests() > 0);
        await stage.redis.kill();
        await stage.redis.start();
        readers.answer(204);
      }),
  },
  {
    name: "PostgreSQL restarted while streams are open",
    expected: { polled: "may turn stale", live: "may fail" },
    run: (stage, note) =>
      withReaders(stage, note, async () => {
        await stage.postgres.halt();
        await stage.nextDay();
        await stage.postgres.resume();
      }),
  },
];

async function withReaders(
  stage: Stage,
  noteRecovery: NoteRecovery,
  fault: (readers: Readers) => Promise<void>,
): Promise<void> {
  // So that the readers get no event of what happened before.
  await stage.settled();
  await stage.healthy();
  const readers = await stage.startReaders();
  try {
    await fault(readers);
    const overAt = performance.now();
    await stage.healthy();
    noteRecovery(performance.now() - overAt);
    await stage.settled();
    await stage.healthy();
    await readers.verify();
  } finally {
    await readers.stop();
  }
}

/** The transaction that stores logs writes their events after them: while the outbox is locked, the logs are written and the events are not. */
async function killBetweenLogAndEvent(stage: Stage, readers: Readers): Promise<void> {
  const sql = postgres(stage.databaseUrl(), { max: 1, onnotice: () => {} });
  const watch = postgres(stage.databaseUrl(), { max: 1, onnotice: () => {} });
  try {
    await sql.begin(async (holder) => {
      await holder`lock table outbox in share row exclusive mode`;
      await readers.emit();
      await waitUntil("a worker that has written a log to wait for the outbox", async () => {
        const waiting = await watch`select from pg_locks waits join pg_locks has using (pid)
          where waits.relation = 'outbox'::regclass and not waits.granted
            and has.relation = 'provider_details_logs'::regclass and has.mode = 'RowExclusiveLock'`;
        return waiting.length > 0;
      });
      for (const worker of workers) stage.process(worker).kill("SIGKILL");
      for (const worker of workers) await stage.process(worker).exited();
    });
  } finally {
    await sql.end({ timeout: 1 });
    await watch.end({ timeout: 1 });
  }
  for (const worker of workers) await stage.start(worker);
}

import { createHash } from "node:crypto";
import { aborted } from "@dueday/core/aborted";
import type { Sql } from "postgres";
import type { Database } from "./connectDatabase";
import { DatabaseError, toDatabaseError } from "./databaseError";
import { endStalledSessions } from "./endStalledSessions";
import { withDeadline } from "./withDeadline";

export type LeaseOptions = {
  /** What the lease is for. One process at a time holds it. */
  name: string;
  /** Ends the wait, or the work. */
  signal: AbortSignal;
  /** Runs while the lease is held, until its signal is aborted: the lease was lost, or is to be given up. */
  work(signal: AbortSignal): Promise<void>;
  /** Called with the first of several failures in a row: the database does not answer, the lease was lost, or `work` failed. */
  onFault(error: unknown): void;
};

/** Interval at which the holder and the waiting processes check the lease. */
const BEAT_MS = 1_000;
/** The server ends the session of a holder that was silent for this time, because it is frozen or cut off. That frees the lease. */
export const IDLE_MS = 3_000;
/** A holder that did not get an answer in this time gives up before the server ends its session. */
const ANSWER_MS = 2_500;
/** SQLSTATE of a lost connection: part of an outage of the database, which is reported once. */
const CONNECTION_FAILURE = "08006";

/**
 * Takes a lease whenever it is free, and works while it is held, until `signal` is aborted. The lease is a session's lock in the database:
 * it needs no clock, no row and no WAL. It ends with the connection of a process that is killed, and within `IDLE_MS` for a process that is
 * frozen. When a frozen process wakes up, two processes may work for a moment: their writes have to be checked where they are made.
 */
export async function holdLease(database: Database, options: LeaseOptions): Promise<void> {
  const { signal } = options;
  const ended = aborted(signal);
  const pause = () => Promise.race([Bun.sleep(BEAT_MS), ended]);
  for (let isFailing = false; !signal.aborted; ) {
    const session = database.openSession({ idle_session_timeout: IDLE_MS });
    try {
      while (!signal.aborted) {
        const holder = await take(session, options.name);
        isFailing = false;
        if (holder !== null) await workWhileHeld(session, holder, options);
        else await pause();
      }
    } catch (error) {
      if (!isFailing) options.onFault(toDatabaseError("hold the lease", error));
      isFailing = true;
      await pause();
    } finally {
      await session.end({ timeout: 0 });
    }
  }
}

/** Tries to take the lease. Returns the pid of the session that holds it from now on; null where another session holds it. */
async function take(session: Sql, name: string): Promise<number | null> {
  const key = createHash("sha256").update(name).digest().readBigInt64BE().toString();
  const [row] = await withDeadline(
    "take the lease",
    ANSWER_MS,
    () =>
      session<{ taken: boolean; pid: number }[]>`select pg_try_advisory_lock(${key}) as taken, pg_backend_pid() as pid`,
  );
  return row?.taken === true ? row.pid : null;
}

/** @throws where the lease was lost */
async function workWhileHeld(session: Sql, holder: number, { signal, work }: LeaseOptions): Promise<void> {
  const held = new AbortController();
  const end = () => held.abort();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const working = work(held.signal).finally(end);
  // `await working` below throws its failure.
  working.catch(() => {});
  const isOver = aborted(held.signal);
  try {
    for (let beatAt = performance.now(); !held.signal.aborted; ) {
      await Promise.race([Bun.sleep(BEAT_MS), isOver]);
      if (held.signal.aborted) break;
      // A process that was frozen knows by its own clock that the session is gone.
      if (performance.now() - beatAt > IDLE_MS) throw new Error("the lease was lost: another process may hold it");
      beatAt = performance.now();
      // The driver replaces a connection that was lost, and another session does not hold the lease.
      const [row] = await withDeadline(
        "keep the lease",
        ANSWER_MS,
        () => session<{ pid: number }[]>`select pg_backend_pid() as pid`,
      );
      if (row?.pid !== holder) throw new DatabaseError("keep the connection of the lease", CONNECTION_FAILURE);
      // The holder before this one may have been frozen while it held locks of rows.
      await withDeadline("end stalled sessions", ANSWER_MS, () => endStalledSessions(session, IDLE_MS));
    }
  } finally {
    end();
    signal.removeEventListener("abort", end);
    await working;
  }
}

import type { Database } from "./connectDatabase";
import { DatabaseError } from "./databaseError";
import { withDeadline } from "./withDeadline";

export type DatabaseWatch = {
  /** Whether an outage of the database is known. */
  isAway(): boolean;
  /**
   * Whether an error, or a cause of it, comes from an outage of the database, which the watch reports once for all parts. Such an error
   * begins an outage where none is known, except in the seconds after one: queries that were sent during it may fail after its end.
   */
  covers(error: unknown): boolean;
  close(): Promise<void>;
};

export type DatabaseWatchOptions = {
  /** Used by the watch alone: a pool whose connections are all busy must not look like a database that is away. */
  database: Database;
  onAway(error: unknown): void;
  onBack(awaySeconds: number): void;
  /** Milliseconds between two probes. Default 1.5 s. */
  everyMs?: number;
  /** Milliseconds that a probe may take. Default 1.4 s: with a second probe, an outage is known within 5 s. */
  deadlineMs?: number;
};

const EVERY_MS = 1_500;
const DEADLINE_MS = 1_400;
/** From a failed probe to the next, so that the return of a database is noticed soon. */
const RETRY_MS = 250;
/** Within this time after an outage, only a probe begins another one. */
const LINGERING_MS = 5_000;

/** Probes the database until the watch is closed. A probe that is refused begins an outage; of probes that are late, the second in a row does. */
export function watchDatabase(options: DatabaseWatchOptions): DatabaseWatch {
  const { database, onAway, onBack, everyMs = EVERY_MS, deadlineMs = DEADLINE_MS } = options;
  const closing = Promise.withResolvers<void>();
  let isClosed = false;
  let awaySince: number | null = null;
  let backSince = Number.NEGATIVE_INFINITY;
  let late = 0;

  function begin(error: unknown): void {
    if (awaySince !== null || isClosed) return;
    awaySince = performance.now();
    onAway(error);
  }

  async function probe(): Promise<void> {
    try {
      await database.run("be probed", () => withDeadline("be probed", deadlineMs, () => database.sql`select 1`));
      late = 0;
      if (awaySince === null) return;
      backSince = performance.now();
      const seconds = Math.round((backSince - awaySince) / 1000);
      awaySince = null;
      onBack(seconds);
    } catch (error) {
      const isLate = error instanceof DatabaseError && error.code === "DEADLINE";
      late = isLate ? late + 1 : 0;
      if (!isLate || late > 1) begin(error);
    }
  }

  async function run(): Promise<void> {
    while (!isClosed) {
      await probe();
      const isWell = awaySince === null && late === 0;
      await Promise.race([Bun.sleep(isWell ? everyMs : RETRY_MS), closing.promise]);
    }
  }

  const running = run();
  return {
    isAway: () => awaySince !== null,
    covers(error) {
      const absence = absenceIn(error);
      if (absence === null) return false;
      if (performance.now() - backSince > LINGERING_MS) begin(absence);
      return true;
    },
    async close() {
      isClosed = true;
      closing.resolve();
      await Promise.race([running, Bun.sleep(deadlineMs)]);
      await database.close();
    },
  };
}

/** Connection exceptions, and a server that shuts down or starts (PostgreSQL, appendix A). */
const ABSENCE = /^(?:UNREACHABLE|DEADLINE|08...|57P0[123])$/;

function absenceIn(error: unknown): DatabaseError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof DatabaseError) return ABSENCE.test(cause.code) ? cause : null;
  return null;
}

import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres, { type Sql } from "postgres";
import { toDatabaseError } from "./databaseError";
import { withDeadline } from "./withDeadline";

export type DatabaseOptions = {
  url: string;
  /** Connections at most. Default 5. */
  poolSize?: number;
  /** Longest time for one piece of work, waiting for a connection included. Default 10 s. */
  deadlineMs?: number;
};

/** A pool of connections. Everything goes through `run`, which bounds it in time and strips its errors. */
export type Database = {
  readonly sql: Sql;
  readonly db: PostgresJsDatabase;
  /**
   * Does one piece of work, e.g. `run("read snapshots", (db) => db.select().from(snapshots))`.
   *
   * @throws DatabaseError without statement, values or address.
   */
  run<T>(action: string, work: (db: PostgresJsDatabase) => PromiseLike<T>): Promise<T>;
  /** Ends the connections, those that do not answer too. */
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_SECONDS = 5;
const CLOSE_TIMEOUT_SECONDS = 2;
/** The driver's own pauses grow to 20 s: a database that is back would be taken for one that is away. */
const LONGEST_PAUSE_SECONDS = 1;

/** Opens a pool; the first connection is made by the first work. numeric comes as text (bigint in typed columns), never a float. */
export function connectDatabase(options: DatabaseOptions): Database {
  const deadlineMs = options.deadlineMs ?? 10_000;
  const sql = postgres(options.url, {
    max: options.poolSize ?? 5,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    backoff: (attempt: number) => Math.min(LONGEST_PAUSE_SECONDS, 0.05 * 2 ** attempt),
    onnotice: () => {},
    connection: {
      application_name: "dueday",
      statement_timeout: deadlineMs,
      idle_in_transaction_session_timeout: deadlineMs,
    },
  });
  const db = drizzle(sql);
  return {
    sql,
    db,
    async run(action, work) {
      try {
        return await withDeadline(action, deadlineMs, () => work(db));
      } catch (error) {
        throw toDatabaseError(action, error);
      }
    },
    close: () => sql.end({ timeout: CLOSE_TIMEOUT_SECONDS }),
  };
}

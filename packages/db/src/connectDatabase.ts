import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres, { type Sql } from "postgres";
import { toDatabaseError } from "./databaseError";
import { withDeadline } from "./withDeadline";

export type DatabaseOptions = {
  url: string;
  /** Maximum number of connections. Default 5. */
  poolSize?: number;
  /** Deadline of one `run`, including the wait for a connection. Default 10 s. */
  deadlineMs?: number;
};

/** A pool of connections. Use `run`, which adds a deadline and removes statements and values from errors. */
export type Database = {
  readonly sql: Sql;
  readonly db: PostgresJsDatabase;
  /**
   * Runs some work, e.g. `run("read snapshots", (db) => db.select().from(snapshots))`.
   *
   * @throws DatabaseError, which contains no statement, value or address
   */
  run<T>(action: string, work: (db: PostgresJsDatabase) => PromiseLike<T>): Promise<T>;
  /**
   * Opens one connection beside the pool, for what belongs to a session, such as locks. The driver replaces it when it is lost. The
   * caller ends it.
   *
   * @param parameters Settings of the session, e.g. `idle_session_timeout` in milliseconds.
   */
  openSession(parameters: Record<string, number>): Sql;
  /** Closes all connections, including those that do not answer. */
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_SECONDS = 5;
const CLOSE_TIMEOUT_SECONDS = 2;
/** The driver's default pauses between attempts grow to 20 s, long after the database is back. */
const LONGEST_PAUSE_SECONDS = 1;

/**
 * Creates a pool, which connects on first use. Columns of type numeric are returned as text (bigint in typed columns), not
 * as a float.
 */
export function connectDatabase(options: DatabaseOptions): Database {
  const deadlineMs = options.deadlineMs ?? 10_000;
  const connect = (max: number, parameters: Record<string, number>) =>
    postgres(options.url, {
      max,
      connect_timeout: CONNECT_TIMEOUT_SECONDS,
      backoff: (attempt: number) => Math.min(LONGEST_PAUSE_SECONDS, 0.05 * 2 ** attempt),
      onnotice: () => {},
      connection: {
        application_name: "dueday",
        statement_timeout: deadlineMs,
        idle_in_transaction_session_timeout: deadlineMs,
        ...parameters,
      },
    });
  const sql = connect(options.poolSize ?? 5, {});
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
    openSession: (parameters) => connect(1, parameters),
    close: () => sql.end({ timeout: CLOSE_TIMEOUT_SECONDS }),
  };
}

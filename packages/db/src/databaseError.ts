/** DEADLINE, UNREACHABLE, or the server's five-character SQLSTATE. */
export type DatabaseErrorCode = "DEADLINE" | "UNREACHABLE" | (string & {});

/** Facts about a failed statement that are safe to log: names only, no values. */
export type DatabaseErrorFacts = Partial<Record<"table" | "column" | "constraint" | "routine", string>>;

/**
 * A statement that failed. The error of the driver contains the statement, its values and the server's address, so it is not
 * kept, not even as the cause.
 */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  /** Whether the same statement may succeed later. */
  readonly retryable: boolean;

  constructor(
    /** The action that failed, e.g. "read snapshots". */
    readonly action: string,
    readonly code: DatabaseErrorCode,
    readonly facts: DatabaseErrorFacts = {},
  ) {
    const advice = ADVICE[code];
    const what = `the database could not ${action} (${[code, ...Object.values(facts)].join(", ")})`;
    super(advice === undefined ? what : `${what}: ${advice}`);
    this.retryable = code === "DEADLINE" || code === "UNREACHABLE" || RETRYABLE_CLASSES.includes(code.slice(0, 2));
  }
}

/** What an operator can do about a code. */
const ADVICE: Readonly<Record<string, string>> = {
  UNREACHABLE: "start it, or correct DATABASE_URL if that is set",
  "28000": "correct the user in DATABASE_URL, or allow it on the server (pg_hba.conf, TLS)",
  "28P01": "correct user or password in DATABASE_URL",
  "3D000": "create it, or correct its name in DATABASE_URL",
  // Undefined table and undefined column.
  "42P01": "run `bun run migrate`",
  "42703": "run `bun run migrate`",
};

/** Connection, transaction rollback, resources, operator intervention (PostgreSQL, appendix A). */
const RETRYABLE_CLASSES = ["08", "40", "53", "57"];
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Codes of failed connections, by the system, its resolver and the driver. EPIPE looks like a SQLSTATE, but none begins with E. */
const UNREACHABLE = /^(E(AI_)?[A-Z]+|CONNECT(ION)?_[A-Z]+|UND_ERR.*|ERR_(SOCKET|TLS).*)$/;

/**
 * Converts an error of the driver to a DatabaseError. Any other error is a bug or already converted, and is returned
 * unchanged.
 */
export function toDatabaseError(action: string, error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DatabaseError) return cause;
    const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
    if (UNREACHABLE.test(code)) return new DatabaseError(action, "UNREACHABLE");
    if (SQLSTATE.test(code)) return new DatabaseError(action, code, factsOf(cause));
  }
  return error;
}

function factsOf(error: Error): DatabaseErrorFacts {
  const fields = { table: "table_name", column: "column_name", constraint: "constraint_name", routine: "routine" };
  const facts = Object.entries(fields).map(([fact, field]): [string, unknown] => [fact, Reflect.get(error, field)]);
  return Object.fromEntries(facts.filter((fact): fact is [string, string] => typeof fact[1] === "string"));
}

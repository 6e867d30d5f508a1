/** How Redis refuses commands, by the code that its error begins with, and what the operator can do. */
const REFUSALS: Record<string, string> = {
  WRONGTYPE:
    "a key of the queue holds a value of another type: delete that key, and keep other programs off this database",
  NOAUTH: "correct the password in REDIS_URL",
  WRONGPASS: "correct the user or password in REDIS_URL",
  NOPERM: "the user of REDIS_URL lacks a permission: allow it all commands on the keys bull:*",
  READONLY: "REDIS_URL leads to a replica: use the primary",
  OOM: "it is out of memory: raise maxmemory",
  MISCONF: "it can't write to its disk",
  LOADING: "it is still loading its data",
  BUSY: "it is busy with a script of another client",
};
const CODES = new RegExp(`\\b(${Object.keys(REFUSALS).join("|")})\\b`);
/** Long enough for every code; an error may quote a key. */
const LONGEST_TEXT = 500;

/** Distinguishes a Redis that refuses a command from one that can't be reached. The message quotes nothing of the error but a known code. */
export function describeRedisFault(error: unknown): { fault: string; isRefusal: boolean; message: string } {
  if (!(error instanceof Error)) return { fault: typeof error, isRefusal: false, message: "the queue failed" };
  const [code] = CODES.exec(error.message.slice(0, LONGEST_TEXT)) ?? [];
  if (code !== undefined) {
    return {
      fault: code,
      isRefusal: true,
      message: `Redis refuses a command of the queue (${code}): ${REFUSALS[code]}`,
    };
  }
  if (error.name === "ReplyError") {
    return { fault: "ERR", isRefusal: true, message: "Redis refuses a command of the queue: see the log of Redis" };
  }
  const fault = String(Reflect.get(error, "code") ?? error.name);
  return { fault, isRefusal: false, message: "the queue can't be reached" };
}

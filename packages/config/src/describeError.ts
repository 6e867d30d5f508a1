/** What a log line says of an error. */
export type ErrorDescription = {
  name: string;
  code?: string | number;
  status?: number;
  /** Only of errors of our own and of the runtime; never what an upstream said. */
  message?: string;
  /** Where it was thrown: function names and places, without the message. */
  stack?: string[];
  cause?: ErrorDescription;
};

const MOST_CAUSES = 5;
const MOST_FRAMES = 8;
const LONGEST_MESSAGE = 500;

/**
 * Describes anything that was thrown, for the log. Errors of a client library carry the upstream's words, its URL, or the values
 * of a statement in their message: of those only name, code and place are told, and the same of their causes.
 */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { name: `thrown ${error === null ? "null" : typeof error}` };
  const description: ErrorDescription = { name: sanitize(error.name) };
  const { code, status } = readCodes(error);
  if (code !== undefined) description.code = code;
  if (status !== undefined) description.status = status;
  if (!speaksForUpstream(error)) description.message = sanitize(error.message);
  const frames = framesOf(error);
  if (frames.length > 0) description.stack = frames;
  if (error.cause !== undefined && depth < MOST_CAUSES) description.cause = describeError(error.cause, depth + 1);
  return description;
}

/** Replaces URLs and control characters, and shortens. */
export function sanitize(text: string): string {
  const clean = text.replace(/[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>]+/gi, "[url]").replace(/[\p{Cc}\p{Cf}]+/gu, " ");
  return clean.length > LONGEST_MESSAGE ? `${clean.slice(0, LONGEST_MESSAGE)}…` : clean;
}

/**
 * viem (shortMessage), drizzle (query), postgres.js (severity), ioredis (command), Bun's Redis client, and system errors of a
 * connection.
 */
function speaksForUpstream(error: Error): boolean {
  const marked = ["shortMessage", "query", "severity", "command", "syscall"].some((mark) => mark in error);
  return marked || ("code" in error && String(error.code).startsWith("ERR_REDIS"));
}

function readCodes(error: Error): { code?: string | number; status?: number } {
  const codes: { code?: string | number; status?: number } = {};
  if ("code" in error) {
    if (typeof error.code === "number") codes.code = error.code;
    else if (typeof error.code === "string") codes.code = sanitize(error.code);
  }
  if ("status" in error && typeof error.status === "number") codes.status = error.status;
  return codes;
}

/** The frames of the stack: the lines before them repeat the message, which may have several lines itself. */
function framesOf(error: Error): string[] {
  const lines = (error.stack ?? "").split("\n");
  const places = lines.filter(
    (line) => /^\s+at .*:\d+(?::\d+)?\)?$/.test(line) && !error.message.includes(line.trim()),
  );
  return places.slice(0, MOST_FRAMES).map((line) => sanitize(line.trim()));
}

/** An error as it appears in a log line. */
export type ErrorDescription = {
  name: string;
  code?: string | number;
  status?: number;
  /** Present only for errors of this service and of the runtime: an upstream's message is never logged. */
  message?: string;
  /** Where it was thrown: function names and places, without the message. */
  stack?: string[];
  cause?: ErrorDescription;
};

const MAX_CAUSES = 5;
const MAX_FRAMES = 8;
const MAX_MESSAGE_LENGTH = 500;

/**
 * Describes anything that was thrown, for the log. The message of a client library's error can contain the upstream's
 * text, its URL, or the values of a statement: of such an error or cause only name, code, status and stack are logged.
 */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { name: `thrown ${error === null ? "null" : typeof error}` };
  const description: ErrorDescription = { name: sanitize(error.name) };
  const { code, status } = readCodes(error);
  if (code !== undefined) description.code = code;
  if (status !== undefined) description.status = status;
  if (!quotesUpstream(error)) description.message = sanitize(error.message);
  const frames = framesOf(error);
  if (frames.length > 0) description.stack = frames;
  if (error.cause !== undefined && depth < MAX_CAUSES) description.cause = describeError(error.cause, depth + 1);
  return description;
}

/** Cuts the text to 500 characters, and replaces URLs and control characters in them. */
export function sanitize(text: string): string {
  const clean = text
    .slice(0, MAX_MESSAGE_LENGTH)
    .replace(URLS, "[url]")
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ");
  return text.length > MAX_MESSAGE_LENGTH ? `${clean}…` : clean;
}

/** The look-behind lets a match begin only at the first character of a scheme: a match from each character would take quadratic time. */
const URLS = /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s"'`<>]+/gi;

/**
 * Whether the message may contain an upstream's text: errors of viem (shortMessage), drizzle (query), postgres.js (severity),
 * ioredis (command), Bun's Redis client, and system errors of a connection (syscall).
 */
function quotesUpstream(error: Error): boolean {
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

/** The frames of the stack. The lines before them repeat the message, which can have several lines. */
function framesOf(error: Error): string[] {
  const lines = (error.stack ?? "").split("\n");
  const places = lines.filter(
    (line) => /^\s+at .*:\d+(?::\d+)?\)?$/.test(line) && !error.message.includes(line.trim()),
  );
  return places.slice(0, MAX_FRAMES).map((line) => sanitize(line.trim()));
}

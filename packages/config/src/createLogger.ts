import { bufferedOutput } from "./bufferedOutput";
import { describeError } from "./describeError";
import type { Config } from "./parseConfig";
import { secretsOf } from "./secretsOf";

/** From the least important to the most important. */
const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
type Level = (typeof LEVELS)[number];

/** Writes a line with a message, with fields, with both, or with an error. */
type WriteLine = (first: object | string, message?: string) => void;

export type Logger = Readonly<Record<Level, WriteLine>> & {
  /** A logger whose lines all have these fields. */
  child(fields: Fields): Logger;
  /** Whether a warning with this error is muted: it belongs to something that is reported elsewhere. */
  mutes(error: unknown): boolean;
};

type Fields = Readonly<Record<string, unknown>>;

const STANDARD_OUTPUT = 1;
const DEEPEST = 6;

/**
 * A logger of JSON lines. Errors, under whatever name they are logged, go through `describeError`; in everything that is written,
 * the secrets of the settings are replaced by `[secret]`.
 *
 * @param destination Where lines go: by default standard output, buffered, with the rest written when the process exits.
 */
export function createLogger(config: Config, destination?: Destination): Logger {
  return createLineLogger({ level: config.logLevel, secrets: secretsOf(config), destination });
}

type Destination = { write(lines: string): void };

export type LineLoggerOptions = {
  /** The lowest level that is written. */
  level: Level | "silent";
  /** Texts that are replaced by `[secret]`. */
  secrets: readonly string[];
  destination?: Destination | undefined;
  /** The form of a line, in place of JSON. */
  format?: ((line: string) => string) | undefined;
};

/** The same for a program with other settings. */
export function createLineLogger({ level, secrets, destination, format }: LineLoggerOptions): Logger {
  const redact = redactorOf(secrets);
  const edit = format === undefined ? redact : (lines: string) => formatLines(redact(lines), format);
  const { write } =
    destination === undefined
      ? bufferedOutput(STANDARD_OUTPUT, edit)
      : { write: (line: string) => destination.write(edit(line)) };
  const written = level === "silent" ? [] : LEVELS.slice(LEVELS.indexOf(level));
  return loggerOf({ write, written }, {});
}

type Sink = { write(line: string): void; written: readonly Level[] };

function loggerOf(sink: Sink, fields: Fields): Logger {
  const at = (level: Level): WriteLine =>
    sink.written.includes(level)
      ? (first, message) => sink.write(formLine({ level, fields, first, message }))
      : () => {};
  return {
    trace: at("trace"),
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    fatal: at("fatal"),
    child: (further) => loggerOf(sink, { ...fields, ...describeFields(further) }),
    mutes: () => false,
  };
}

type Line = { level: Level; fields: Fields; first: object | string; message: string | undefined };

/** The line of an error has the error's message where it is given none. */
function formLine({ level, fields, first, message }: Line): string {
  const time = new Date().toISOString();
  if (typeof first === "string") return `${JSON.stringify({ level, time, ...fields, msg: first })}\n`;
  const own = describeFields(first instanceof Error ? { err: first } : first);
  const msg = message ?? (first instanceof Error ? describeError(first).message : undefined);
  return `${JSON.stringify({ level, time, ...fields, ...own, msg })}\n`;
}

function formatLines(lines: string, format: (line: string) => string): string {
  return lines
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [format(line)]))
    .join("");
}

/** Fields in which all values fit into JSON, and every error is described: as it is, one would show all its properties. */
function describeFields(fields: object, depth = 0): object {
  // The facts of a request have nothing to describe: a copy of them takes a tenth of a polled read.
  if (Object.values(fields).every(isPlain)) return fields;
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, describe(value, depth + 1)]));
}

function isPlain(value: unknown): boolean {
  return value === null || (typeof value !== "object" && typeof value !== "bigint");
}

function describe(value: unknown, depth: number): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return describeError(value);
  if (depth === DEEPEST) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => describe(item, depth + 1));
  // A date or a URL: JSON has a form for it.
  return "toJSON" in value ? value : describeFields(value, depth);
}

/** Replaces secrets in any number of lines: a secret can be anywhere in a text, and not only under certain names of fields. */
function redactorOf(secrets: readonly string[]): (lines: string) => string {
  if (secrets.length === 0) return (lines) => lines;
  // A line holds them as JSON does; the longest first, or a part would be replaced and the rest left.
  const forms = secrets.map((secret) => JSON.stringify(secret).slice(1, -1)).toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(forms.map(RegExp.escape).join("|"), "g");
  // Nearly every block has none: to look for each text takes a tenth of the time of the pattern (1 us of a cached read).
  return (lines) => (forms.some((form) => lines.includes(form)) ? lines.replace(pattern, "[secret]") : lines);
}

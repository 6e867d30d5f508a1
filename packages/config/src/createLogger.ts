import pino, { type DestinationStream, type LogFn, type Logger } from "pino";
import { bufferedOutput } from "./bufferedOutput";
import { completeTracing } from "./completeTracing";
import { describeError } from "./describeError";
import type { Config } from "./parseConfig";
import { secretsOf } from "./secretsOf";

export type { Logger };

const STANDARD_OUTPUT = 1;
const DEEPEST = 6;

/**
 * A logger of JSON lines. Errors, under whatever name they are logged, go through `describeError`; in everything that is written,
 * the secrets of the settings are replaced by `[secret]`.
 *
 * @param destination Where lines go: by default standard output, buffered, with the rest written when the process exits.
 */
export function createLogger(config: Config, destination?: DestinationStream): Logger {
  return createLineLogger({ level: config.logLevel, secrets: secretsOf(config), destination });
}

export type LineLoggerOptions = {
  level: string;
  /** Texts that are replaced by `[secret]`. */
  secrets: readonly string[];
  destination?: DestinationStream | undefined;
  /** Converts a line of JSON to the text that is written. */
  format?: ((line: string) => string) | undefined;
};

/** A logger like that of `createLogger`, for a program with other settings. */
export function createLineLogger({ level, secrets, destination, format }: LineLoggerOptions): Logger {
  completeTracing();
  const redact = redactorOf(secrets);
  const edit = format === undefined ? redact : (lines: string) => formatLines(redact(lines), format);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { logMethod: logDescribed },
    },
    destination === undefined
      ? bufferedOutput(STANDARD_OUTPUT, edit)
      : { write: (line) => destination.write(edit(line)) },
  );
}

function formatLines(lines: string, format: (line: string) => string): string {
  return lines
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [format(line)]))
    .join("");
}

/** Describes errors before pino sees them: pino would use an error's message as the message of the line. */
function logDescribed(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [first] = args;
  // pino types the arguments as overloads; their order and number are kept.
  const described = args.map((argument) => describe(argument)) as Parameters<LogFn>;
  if (first instanceof Error) described[0] = { err: described[0] };
  method.apply(this, described);
}

/** The same value, with every error in it described: serialized unchanged, an error would show all its fields. */
function describe(value: unknown, depth = 0): unknown {
  if (value instanceof Error) return describeError(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => describe(item, depth + 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  // The line of a request has only plain values, so it has no error to describe. Copying it takes a tenth of the time of a polled read.
  if (!holdsObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, describe(item, depth + 1)]));
}

function holdsObject(value: object): boolean {
  for (const item of Object.values(value)) if (typeof item === "object" && item !== null) return true;
  return false;
}

/** Replaces secrets in any number of lines. pino's own `redact` takes names of fields; a secret can be anywhere in a text. */
function redactorOf(secrets: readonly string[]): (lines: string) => string {
  if (secrets.length === 0) return (lines) => lines;
  // Lines have secrets in their JSON form. The longest comes first: a shorter one inside it would leave the rest in the line.
  const forms = secrets.map((secret) => JSON.stringify(secret).slice(1, -1)).toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(forms.map(RegExp.escape).join("|"), "g");
  // Nearly all lines have no secret, and looking for each text takes a tenth of the time that the pattern takes.
  return (lines) => (forms.some((form) => lines.includes(form)) ? lines.replace(pattern, "[secret]") : lines);
}

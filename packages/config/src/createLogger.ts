import pino, { type DestinationStream, type LogFn, type Logger } from "pino";
import { bufferedOutput } from "./bufferedOutput";
import { describeError } from "./describeError";
import type { Config } from "./parseConfig";
import { secretsOf } from "./secretsOf";

export type { Logger };

const STANDARD_OUTPUT = 1;
const DEEPEST = 6;

/**
 * A logger of JSON lines. Errors, under whatever name they are logged, go through `describeError`; the secrets of the settings
 * are blotted out of every line, whoever put them there.
 *
 * @param destination Where lines go: by default standard output, in blocks, with the rest at the end of the process.
 */
export function createLogger(config: Config, destination: DestinationStream = bufferedOutput(STANDARD_OUTPUT)): Logger {
  const blot = createBlotter(secretsOf(config));
  return pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      serializers: { err: (value) => describe(value) },
      hooks: { logMethod: logDescribed, streamWrite: blot },
    },
    destination,
  );
}

/** Describes errors before pino sees them: it would take an error's message for the line's. */
function logDescribed(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [first, ...others] = args.map((argument) => describe(argument));
  // pino types the arguments as overloads; their order and number are kept.
  method.apply(this, [args[0] instanceof Error ? { err: first } : first, ...others] as Parameters<LogFn>);
}

/** The same value, with every error in it described: serialized as it is, one would show all its fields. */
function describe(value: unknown, depth = 0): unknown {
  if (value instanceof Error) return describeError(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => describe(item, depth + 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, describe(item, depth + 1)]));
}

function createBlotter(secrets: readonly string[]): (line: string) => string {
  if (secrets.length === 0) return (line) => line;
  // A line holds them as JSON does; the longest first, or a part would be blotted out and the rest left.
  const forms = secrets.map((secret) => JSON.stringify(secret).slice(1, -1)).toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(forms.map(RegExp.escape).join("|"), "g");
  return (line) => line.replace(pattern, "[secret]");
}

import type { Logger } from "./createLogger";

const IS_REPORTED = Symbol("isReported");

/** Whether `logger` mutes a warning with this error, because the fault behind it is reported elsewhere. */
export function isReportedElsewhere(logger: Logger, error: unknown): boolean {
  const isReported: unknown = Reflect.get(logger, IS_REPORTED);
  return typeof isReported === "function" && isReported(error) === true;
}

/**
 * A logger whose warnings and errors are written at level debug where their `err` is already reported: an outage that a
 * hundred requests and jobs run into is one fault.
 *
 * @param isReported whether an error belongs to a fault that was or is being reported elsewhere
 */
export function muteLogger(logger: Logger, isReported: (error: unknown) => boolean): Logger {
  const muted: Logger = Object.create(logger);
  for (const level of ["warn", "error"] as const) {
    const write = (first: object | string, message?: string) => {
      const error: unknown = first instanceof Error ? first : Reflect.get(Object(first), "err");
      logger[isReported(error) ? "debug" : level](first, message);
    };
    // Nothing here logs with a format and its values, which are pino's further overloads.
    muted[level] = write as Logger["warn"];
  }
  Object.defineProperty(muted, IS_REPORTED, {
    value: (error: unknown) => isReported(error) || isReportedElsewhere(logger, error),
  });
  // pino's type also allows custom levels, which nothing here uses.
  Object.defineProperty(muted, "child", {
    value: (bindings: Record<string, unknown>) => muteLogger(logger.child(bindings), isReported),
  });
  return muted;
}

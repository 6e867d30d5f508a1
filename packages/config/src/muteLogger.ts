import type { Logger } from "./createLogger";

/**
 * A logger whose warnings and errors are written at level debug where their `err` is already reported: an outage that a hundred
 * requests and jobs run into is one fault.
 *
 * @param isReported whether an error belongs to something that was or is being reported elsewhere
 */
export function muteLogger(logger: Logger, isReported: (error: unknown) => boolean): Logger {
  const muted =
    (level: "warn" | "error"): Logger["warn"] =>
    (first, message) => {
      const error: unknown = first instanceof Error ? first : Reflect.get(Object(first), "err");
      logger[isReported(error) ? "debug" : level](first, message);
    };
  return {
    ...logger,
    warn: muted("warn"),
    error: muted("error"),
    child: (fields) => muteLogger(logger.child(fields), isReported),
    mutes: (error) => isReported(error) || logger.mutes(error),
  };
}

import type { Logger } from "@dueday/config/createLogger";
import { isReportedElsewhere } from "@dueday/config/muteLogger";

/** The log of some work that is repeated until it succeeds. */
export type FaultLog = {
  /** The work failed. */
  failed(error: unknown): void;
  /** The work succeeded. */
  succeeded(): void;
};

export type FaultTexts = {
  /** Logged as a warning with each new fault. */
  failed: string;
  /** Logged once when the work succeeds after faults. */
  succeeded: string;
};

/** At most this number of different faults is logged before a success: texts that never repeat must not fill the log. */
const MOST_FAULTS = 16;

/**
 * Logs each different fault once, in whatever order faults repeat, and one line when the work succeeds again. A fault of an outage that is
 * reported elsewhere is not remembered, so that it is logged if it outlasts the outage.
 *
 * @param facts Fields of each line.
 */
export function createFaultLog(logger: Logger, texts: FaultTexts, facts: Record<string, string> = {}): FaultLog {
  const faults = new Set<string>();
  return {
    failed(error) {
      const fault = faultOf(error);
      const isKnown = faults.has(fault) || faults.size >= MOST_FAULTS;
      if (isKnown) return;
      if (!isReportedElsewhere(logger, error)) faults.add(fault);
      logger.warn({ ...facts, err: error }, texts.failed);
    },
    succeeded() {
      if (faults.size > 0) logger.info(facts, texts.succeeded);
      faults.clear();
    },
  };
}

/** Name, code and message of an error, without the numbers, which change from block to block. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = String(Reflect.get(error, "code") ?? "");
  return [error.name, code, error.message.replace(/0x[0-9a-f]+|\d+/gi, "#")].join(" ");
}

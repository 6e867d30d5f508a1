import type { Logger } from "@dueday/config/createLogger";

/** All gauges of one scrape use one read. */
const SCRAPE_MS = 500;

/** Reads at most once in `SCRAPE_MS` for all callers. Returns null where the read failed, which is logged as `failed`. */
export function shareRead<T>(logger: Logger, failed: string, read: () => Promise<T>): () => Promise<T | null> {
  let last: { at: number; result: Promise<T | null> } | null = null;
  return () => {
    if (last !== null && performance.now() - last.at <= SCRAPE_MS) return last.result;
    const result = read().catch((err: unknown) => {
      logger.warn({ err }, failed);
      return null;
    });
    last = { at: performance.now(), result };
    return result;
  };
}

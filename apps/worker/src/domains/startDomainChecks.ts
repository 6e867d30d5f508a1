import type { ChainContext } from "../context";
import { checkDomains } from "./checkDomains";

/** A changed profile is looked up after this time at the latest. */
const PUBLIC_EVERY_MS = 60_000;
const PRIVATE_EVERY_MS = 1_000;

/**
 * Checks the domains of profiles until `stop()`. This is not a job of the scheduler, which runs one job at a time: slow name servers of
 * profile owners must not keep the scans waiting.
 *
 * @param isPrivate the chain is this machine's own
 */
export function startDomainChecks(
  context: ChainContext,
  { servers, isPrivate }: { servers: readonly string[]; isPrivate: boolean },
): { stop(): Promise<void> } {
  const { logger } = context;
  const aborter = new AbortController();
  let running: Promise<void> | null = null;

  async function check(): Promise<void> {
    try {
      await checkDomains(context, { servers, signal: aborter.signal });
    } catch (err) {
      logger.warn({ err }, "the domains of sellers can't be checked; trying again");
    } finally {
      running = null;
    }
  }

  const timer = setInterval(
    () => {
      running ??= check();
    },
    isPrivate ? PRIVATE_EVERY_MS : PUBLIC_EVERY_MS,
  );
  return {
    async stop() {
      clearInterval(timer);
      aborter.abort();
      await running;
    },
  };
}

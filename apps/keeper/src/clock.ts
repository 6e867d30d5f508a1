/** Time as the keeper sees it; injected, so that tests need not wait. */
export type Clock = {
  /** Milliseconds from any start; never set back. */
  elapsed(): number;
  /** Unix milliseconds by the machine's clock, for logs and summaries. It may be wrong: no decision depends on it. */
  wall(): number;
  sleep(milliseconds: number): Promise<void>;
  /** 0 to 1. */
  random(): number;
};

/** The machine's clock. When `signal` aborts, a running pause ends at once, and every later one almost at once. */
export function systemClock(signal: AbortSignal): Clock {
  return {
    elapsed: () => performance.now(),
    wall: () => Date.now(),
    random: () => Math.random(),
    sleep(milliseconds) {
      // In a later turn of the event loop: otherwise a loop of pauses would keep everything else from running.
      if (signal.aborted) return new Promise((resolve) => setImmediate(resolve));
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, milliseconds);
        signal.addEventListener("abort", end);
      });
    },
  };
}

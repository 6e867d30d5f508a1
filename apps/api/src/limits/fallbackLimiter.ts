import type { Limiter } from "./limiter";

export type FallbackLimiterOptions = {
  /** Rejects where its store fails. */
  shared: Limiter;
  local: Limiter;
  /** Resolves when the store of `shared` answers again, rejects when it does not; it never stays pending. */
  probe: () => Promise<unknown>;
  /** Between two probes, milliseconds. Default 250. */
  probeIntervalMs?: number;
  /** Called once at each change, with the reason where it is known. */
  onChange?: (degraded: boolean, reason?: unknown) => void;
};

export type FallbackLimiter = Limiter & {
  readonly degraded: boolean;
  /** Uses the local buckets until a probe succeeds: for a caller that detects the failure before a request does. */
  degrade(reason: unknown): void;
  close(): void;
};

/**
 * Counts in the shared buckets while their store answers in time, else in local ones of the same size: only the first requests wait
 * for a store that fails, later ones use the local buckets at once. Returns to the shared buckets when a probe succeeds.
 */
export function fallbackLimiter(options: FallbackLimiterOptions): FallbackLimiter {
  const { shared, local, probe, probeIntervalMs = 250, onChange = () => {} } = options;
  let degraded = false;
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function degrade(reason: unknown): void {
    if (degraded || closed) return;
    degraded = true;
    onChange(true, reason);
    timer = setTimeout(tryAgain, probeIntervalMs);
  }

  async function tryAgain(): Promise<void> {
    try {
      await probe();
      if (closed) return;
      degraded = false;
      onChange(false);
    } catch {
      // `onChange` was called when the failure began.
      if (!closed) timer = setTimeout(tryAgain, probeIntervalMs);
    }
  }

  return {
    get degraded() {
      return degraded;
    },
    async take(demands) {
      if (degraded) return await local.take(demands);
      try {
        return await shared.take(demands);
      } catch (reason) {
        degrade(reason);
        return await local.take(demands);
      }
    },
    degrade,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

import type { Limiter } from "./limiter";

export type FallbackLimiterOptions = {
  shared: Limiter;
  local: Limiter;
  /** Resolves when the store of `shared` answers again. */
  probe: () => Promise<unknown>;
  /** Longest wait for `shared`, milliseconds. Default 100. */
  deadlineMs?: number;
  /** Between two probes, milliseconds. Default 250. */
  probeIntervalMs?: number;
  /** Told once at each change, with the reason where it is known. */
  onChange?: (degraded: boolean, reason?: unknown) => void;
};

export type FallbackLimiter = Limiter & { readonly degraded: boolean; close(): void };

/**
 * Shared buckets while their store answers in time, else local ones of the same size: a request waits `deadlineMs` at most,
 * and only the first ones do, since later ones go to the local buckets at once. Returns as soon as a probe succeeds.
 */
export function fallbackLimiter(options: FallbackLimiterOptions): FallbackLimiter {
  const { shared, local, probe, deadlineMs = 100, probeIntervalMs = 250, onChange = () => {} } = options;
  let degraded = false;
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  return {
    get degraded() {
      return degraded;
    },
    async take(demands) {
      if (degraded) return local.take(demands);
      try {
        return await within(deadlineMs, shared.take(demands));
      } catch (error) {
        degrade(error);
        return local.take(demands);
      }
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };

  function degrade(reason: unknown): void {
    if (degraded) return;
    degraded = true;
    onChange(true, reason);
    timer = setTimeout(tryAgain, probeIntervalMs);
  }

  async function tryAgain(): Promise<void> {
    try {
      await within(deadlineMs, probe());
      if (closed) return;
      degraded = false;
      onChange(false);
    } catch {
      // Still away: that was told when it began.
      if (!closed) timer = setTimeout(tryAgain, probeIntervalMs);
    }
  }
}

async function within<T>(deadlineMs: number, work: T | Promise<T>): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

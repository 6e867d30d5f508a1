import {
  type Charge,
  type Instead,
  type Limiter,
  type SharedLimiter,
  type Taker,
  type Taking,
  takeOnce,
} from "./limiter";

export type FallbackLimiterOptions = {
  shared: SharedLimiter;
  local: Limiter;
  /** Resolves when the store of `shared` answers again, rejects when it does not; it always does one of them in the end. */
  probe: () => Promise<unknown>;
  /** Between two probes, milliseconds. Default 250. */
  probeIntervalMs?: number;
  /** Told once at each change, with the reason where it is known. */
  onChange?: (degraded: boolean, reason?: unknown) => void;
};

export type FallbackLimiter = Limiter & {
  readonly degraded: boolean;
  /** Goes on with the local buckets until a probe succeeds: for who learns before a request does that the store is away. */
  degrade(reason: unknown): void;
  close(): void;
};

/**
 * Shared buckets while their store answers in time, else local ones of the same size: only the first requests wait for a store that
 * fails, later ones go to the local buckets at once. Returns as soon as a probe succeeds.
 */
export function fallbackLimiter(options: FallbackLimiterOptions): FallbackLimiter {
  const { shared, local, probe, probeIntervalMs = 250, onChange = () => {} } = options;
  const state = { degraded: false };
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  return {
    get degraded() {
      return state.degraded;
    },
    takerOf,
    take: (demands) => takeOnce(takerOf, demands),
    degrade,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };

  function takerOf(charges: readonly Charge[], identities: readonly string[]): Taker {
    let second: Taker | undefined;
    const instead: Instead = (reason, goOn) => {
      degrade(reason);
      second ??= local.takerOf(charges, identities);
      return second.take(goOn);
    };
    return new FallbackTaker(state, shared.takerOf(charges, identities, instead), instead);
  }

  function degrade(reason: unknown): void {
    if (state.degraded || closed) return;
    state.degraded = true;
    onChange(true, reason);
    timer = setTimeout(tryAgain, probeIntervalMs);
  }

  async function tryAgain(): Promise<void> {
    try {
      await probe();
      if (closed) return;
      state.degraded = false;
      onChange(false);
    } catch {
      // Still away: that was told when it began.
      if (!closed) timer = setTimeout(tryAgain, probeIntervalMs);
    }
  }
}

class FallbackTaker implements Taker {
  readonly #state: { degraded: boolean };
  readonly #first: Taker;
  readonly #instead: Instead;

  constructor(state: { degraded: boolean }, first: Taker, instead: Instead) {
    this.#state = state;
    this.#first = first;
    this.#instead = instead;
  }

  take<T>(goOn: (taking: Taking) => T | Promise<T>): T | Promise<T> {
    // Why the store is away was told when it began.
    return this.#state.degraded ? this.#instead(null, goOn) : this.#first.take(goOn);
  }
}

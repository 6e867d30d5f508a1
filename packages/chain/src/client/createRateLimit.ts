/** How many calls a node may be sent, learned from what it refuses. */
export type RateLimit = {
  /** Calls that may be sent now; Infinity where no limit is known. */
  available(): number;
  /** Milliseconds until another call may be sent. */
  waitMs(): number;
  /** Calls a second that may be sent; Infinity where no limit is known. */
  callsPerSecond(): number;
  take(calls: number): void;
  /** The node answered this many calls. */
  accept(calls: number): void;
  /** The node refused calls that were sent at `sentAt`; it may have named the pause that it wants. */
  refuse(sentAt: number, retryAfterMs?: number): void;
};

export type RateLimitOptions = {
  /** Milliseconds, from any start; never set back. */
  clock: () => number;
};

/** A refusal sets the rate to this part of what the node has just accepted, but within the two bounds below. */
const BELOW_ACCEPTED = 0.9;
const STRONGEST_DECREASE = 0.5;
const WEAKEST_DECREASE = 0.85;
/** The rate grows by this part of itself in a second; after `FASTER_AFTER_MS` faster, with the square of the time since a refusal. */
const INCREASE = 0.02;
const LEAST_INCREASE = 0.25;
const FASTER_AFTER_MS = 3_000;
const SLOWEST = 1;
/** A node that accepts this much has no limit that is worth learning. */
const FASTEST = 2_000;
/** Calls that may be sent at once, as seconds of the rate: nodes count calls in windows of a second. */
const BURST_SECONDS = 0.25;
const FIRST_PAUSE_MS = 100;
/** Factor by which each refusal in a row lengthens the pause: some nodes count refused calls as well, for a second. */
const PAUSE_GROWTH = 4;
/** Longest pause, even where the node's Retry-After is longer. */
const LONGEST_PAUSE_MS = 5_000;

/**
 * A token bucket. Its rate falls by a factor when calls are refused, once for all calls that were under way at that time, and
 * grows steadily while calls wait for it. Refusals without an accepted call between them lengthen the pause.
 */
export function createRateLimit({ clock }: RateLimitOptions): RateLimit {
  const sent = createCount(clock);
  const accepted = createCount(clock);
  let rate = Number.POSITIVE_INFINITY;
  let tokens = 0;
  let countedAt = clock();
  let refusedAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_PAUSE_MS;
  /** Whether the tokens were used up and are not all back. Only then may the rate be too low, so it grows only then. */
  let isUsedUp = false;

  function advance(): void {
    const now = clock();
    const seconds = Math.max(0, now - countedAt) / 1_000;
    countedAt = now;
    if (rate === Number.POSITIVE_INFINITY) return;
    if (isUsedUp && now >= pausedUntil) {
      const step = Math.max(LEAST_INCREASE, rate * INCREASE) * Math.max(1, (now - refusedAt) / FASTER_AFTER_MS) ** 2;
      rate += step * Math.min(1, seconds);
    }
    if (rate >= FASTEST) rate = Number.POSITIVE_INFINITY;
    const burst = Math.max(1, rate * BURST_SECONDS);
    tokens = Math.min(burst, tokens + seconds * rate);
    if (tokens === burst) isUsedUp = false;
  }

  return {
    available() {
      advance();
      if (clock() < pausedUntil) return 0;
      if (rate === Number.POSITIVE_INFINITY) return rate;
      return Math.max(0, Math.floor(tokens));
    },
    waitMs() {
      advance();
      const paused = Math.max(0, pausedUntil - clock());
      if (rate === Number.POSITIVE_INFINITY) return paused;
      return Math.max(paused, Math.ceil((Math.max(0, 1 - tokens) / rate) * 1_000));
    },
    callsPerSecond: () => rate,
    take(calls) {
      sent.add(calls);
      if (rate === Number.POSITIVE_INFINITY) return;
      tokens -= calls;
      if (tokens < 1) isUsedUp = true;
    },
    accept(calls) {
      accepted.add(calls);
      pauseMs = FIRST_PAUSE_MS;
    },
    refuse(sentAt, retryAfterMs = 0) {
      advance();
      const now = clock();
      pausedUntil = Math.max(pausedUntil, now + Math.min(LONGEST_PAUSE_MS, retryAfterMs));
      // Calls that were under way when the rate fell do not show that it is still too high.
      if (sentAt <= refusedAt) return;
      refusedAt = now;
      pausedUntil = Math.max(pausedUntil, now + pauseMs);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * PAUSE_GROWTH);
      const before = rate === Number.POSITIVE_INFINITY ? sent.lastSecond() : rate;
      const target = accepted.lastSecond() * BELOW_ACCEPTED;
      rate = Math.max(SLOWEST, Math.min(before * WEAKEST_DECREASE, Math.max(before * STRONGEST_DECREASE, target)));
      tokens = 0;
    },
  };
}

/** Counts in windows of a second. */
function createCount(clock: () => number) {
  let windowStart = clock();
  let current = 0;
  let before = 0;

  function turn(): void {
    const seconds = Math.floor((clock() - windowStart) / 1_000);
    if (seconds < 1) return;
    before = seconds === 1 ? current : 0;
    current = 0;
    windowStart += seconds * 1_000;
  }

  return {
    add(calls: number): void {
      turn();
      current += calls;
    },
    /** The count of the present second or the one before, the higher of the two. */
    lastSecond(): number {
      turn();
      return Math.max(current, before);
    },
  };
}

import { type BucketState, DAY_MS, type Demand, type Limiter, MINUTE_MS, SLACK_MS } from "./limiter";

export type MemoryLimiterOptions = {
  /** Unix milliseconds. */
  clock: () => number;
  /** Buckets of each kind kept at most; beyond it, those longest unused are forgotten. Default 100,000. */
  maxBuckets?: number;
};

/** Times of admissions, oldest first; those before `start` no longer count. */
type MinuteLog = { times: number[]; start: number };

type MinuteLook = { kind: "minute"; log: MinuteLog; start: number; now: number };
type DayLook = { kind: "day"; used: number; day: number };
type Look = { state: BucketState; fits: boolean; found: MinuteLook | DayLook };

/** The limiter of one process. `size` is the number of buckets it remembers. */
export type MemoryLimiter = Limiter & { readonly size: number };

/** Buckets in this process: exact for one process, and the stand-in where Redis is away. */
export function memoryLimiter({ clock, maxBuckets = 100_000 }: MemoryLimiterOptions): MemoryLimiter {
  // Both maps are kept in the order of last use, so what may be forgotten stands in front.
  const minutes = new Map<string, MinuteLog>();
  const days = new Map<string, { day: number; count: number }>();

  return {
    get size() {
      return minutes.size + days.size;
    },
    take(demands) {
      const now = clock();
      const looks = demands.map((demand) => look(demand, now));
      const admitted = looks.every(({ fits }) => fits);
      if (admitted) {
        for (const { found, state } of looks) if (state.demand.cost > 0) takeFrom(found, state, now);
        forget(now);
      }
      return { admitted, states: looks.map(({ state }) => state) };
    },
  };

  function look(demand: Demand, now: number): Look {
    return demand.window === "minute" ? lookAtMinute(demand, now) : lookAtDay(demand, now);
  }

  function lookAtMinute(demand: Demand, clockNow: number): Look {
    const { limit } = demand;
    const cost = Math.max(1, demand.cost);
    const log = minutes.get(keyOf(demand)) ?? { times: [], start: 0 };
    const { times } = log;
    const now = Math.max(clockNow, times.at(-1) ?? 0);
    let { start } = log;
    while (start < times.length && (times[start] ?? now) <= now - MINUTE_MS) start += 1;
    const used = times.length - start;
    const mustLeave = used + cost - limit;
    const fits = !demand.enforced || mustLeave <= 0;
    const lastToLeave = cost > limit ? clockNow : (times[start + mustLeave - 1] ?? clockNow);
    const oldest = times[start];
    return {
      fits,
      found: { kind: "minute", log, start, now },
      state: {
        demand,
        remaining: Math.max(0, limit - used),
        resetMs: oldest === undefined ? 0 : oldest + MINUTE_MS - clockNow,
        waitMs: fits ? 0 : lastToLeave + MINUTE_MS - clockNow,
      },
    };
  }

  function lookAtDay(demand: Demand, now: number): Look {
    const stored = days.get(keyOf(demand));
    const day = Math.max(Math.floor(now / DAY_MS), stored?.day ?? 0);
    const used = stored?.day === day ? stored.count : 0;
    const fits = !demand.enforced || used + Math.max(1, demand.cost) <= demand.limit;
    const untilMidnight = (day + 1) * DAY_MS - now;
    return {
      fits,
      found: { kind: "day", used, day },
      state: {
        demand,
        remaining: Math.max(0, demand.limit - used),
        resetMs: used === 0 ? 0 : untilMidnight,
        waitMs: fits ? 0 : untilMidnight,
      },
    };
  }

  function takeFrom(found: MinuteLook | DayLook, state: BucketState, clockNow: number): void {
    const { demand } = state;
    const key = keyOf(demand);
    if (found.kind === "minute") {
      const { log, start, now } = found;
      log.start = start;
      compact(log);
      for (let taken = 0; taken < demand.cost; taken += 1) log.times.push(now);
      minutes.delete(key);
      minutes.set(key, log);
      state.resetMs = (log.times[log.start] ?? now) + MINUTE_MS - clockNow;
    } else {
      days.delete(key);
      days.set(key, { day: found.day, count: found.used + demand.cost });
      state.resetMs = (found.day + 1) * DAY_MS - clockNow;
    }
    state.remaining = Math.max(0, state.remaining - demand.cost);
  }

  function forget(now: number): void {
    for (const [key, { times }] of minutes) {
      if (minutes.size <= maxBuckets && (times.at(-1) ?? 0) + MINUTE_MS + SLACK_MS > now) break;
      minutes.delete(key);
    }
    for (const [key, { day }] of days) {
      if (days.size <= maxBuckets && (day + 1) * DAY_MS + SLACK_MS > now) break;
      days.delete(key);
    }
  }
}

/** Moves what still counts to the front, seldom enough to cost next to nothing for any limit. */
function compact(log: MinuteLog): void {
  if (log.start < 16 || log.start < log.times.length / 2) return;
  log.times.splice(0, log.start);
  log.start = 0;
}

function keyOf({ identity, name }: Demand): string {
  return `${identity}:${name}`;
}

import { createRecentMap } from "../recentMap";
import { type BucketState, DAY_MS, type Demand, type Limiter, MINUTE_MS, SLACK_MS } from "./limiter";

export type MemoryLimiterOptions = {
  /** Unix milliseconds. */
  clock: () => number;
  /** Identities kept at most; beyond it, those longest unused are forgotten. Default 100,000. */
  maxIdentities?: number;
};

/** Times of admissions, oldest first; those before `start` no longer count. */
type MinuteLog = { times: number[]; start: number };
type DayCount = { day: number; count: number };

/** The buckets of one identity, by the name of their limit. */
type Buckets = { minutes: Record<string, MinuteLog>; days: Record<string, DayCount> };

const NO_BUCKETS: Buckets = { minutes: {}, days: {} };

/** A bucket as it was found, and what a taking needs to go on from there. */
type Look = { state: BucketState; fits: boolean } & (
  | { window: "minute"; log: MinuteLog; start: number; now: number }
  | { window: "day"; stored: DayCount; day: number; used: number }
);

/** The limiter of one process. `size` is the number of identities it remembers. */
export type MemoryLimiter = Limiter & { readonly size: number };

/** Buckets in this process: exact for one process, and the stand-in where Redis is away. */
export function memoryLimiter({ clock, maxIdentities = 100_000 }: MemoryLimiterOptions): MemoryLimiter {
  const identities = createRecentMap<Buckets>({ keptMs: DAY_MS + SLACK_MS, maxEntries: maxIdentities });

  return {
    get size() {
      return identities.size;
    },
    take(demands) {
      const now = clock();
      identities.tick(now);
      const looks: Look[] = [];
      const states: BucketState[] = [];
      let admitted = true;
      // The demands of a request are mostly those of one identity.
      let identity: string | null = null;
      let buckets: Buckets = NO_BUCKETS;
      for (const demand of demands) {
        if (demand.identity !== identity) {
          identity = demand.identity;
          buckets = bucketsOf(identity);
        }
        const look = demand.window === "minute" ? lookAtMinute(buckets, demand, now) : lookAtDay(buckets, demand, now);
        admitted &&= look.fits;
        looks.push(look);
        states.push(look.state);
      }
      if (admitted) for (const look of looks) takeFrom(look, now);
      return { admitted, states };
    },
  };

  function bucketsOf(identity: string): Buckets {
    const known = identities.get(identity);
    if (known !== undefined) return known;
    const buckets: Buckets = { minutes: {}, days: {} };
    identities.set(identity, buckets);
    return buckets;
  }
}

function lookAtMinute({ minutes }: Buckets, demand: Demand, clockNow: number): Look {
  const { name, limit } = demand;
  const cost = Math.max(1, demand.cost);
  minutes[name] ??= { times: [], start: 0 };
  const log = minutes[name];
  const { times } = log;
  const now = Math.max(clockNow, times.at(-1) ?? 0);
  let { start } = log;
  while (start < times.length && (times[start] ?? now) <= now - MINUTE_MS) start += 1;
  const used = times.length - start;
  const mustLeave = used + cost - limit;
  const fits = !demand.enforced || mustLeave <= 0;
  const lastToLeave = cost > limit ? clockNow : (times[start + mustLeave - 1] ?? clockNow);
  const oldest = times[start];
  const state = {
    demand,
    remaining: Math.max(0, limit - used),
    resetMs: oldest === undefined ? 0 : oldest + MINUTE_MS - clockNow,
    waitMs: fits ? 0 : lastToLeave + MINUTE_MS - clockNow,
  };
  return { state, fits, window: "minute", log, start, now };
}

function lookAtDay({ days }: Buckets, demand: Demand, now: number): Look {
  const { name, limit } = demand;
  days[name] ??= { day: 0, count: 0 };
  const stored = days[name];
  const day = Math.max(Math.floor(now / DAY_MS), stored.day);
  const used = stored.day === day ? stored.count : 0;
  const fits = !demand.enforced || used + Math.max(1, demand.cost) <= limit;
  const untilMidnight = (day + 1) * DAY_MS - now;
  const state = {
    demand,
    remaining: Math.max(0, limit - used),
    resetMs: used === 0 ? 0 : untilMidnight,
    waitMs: fits ? 0 : untilMidnight,
  };
  return { state, fits, window: "day", stored, day, used };
}

function takeFrom(look: Look, clockNow: number): void {
  const { state } = look;
  const { cost } = state.demand;
  if (cost === 0) return;
  if (look.window === "minute") {
    const { log, start, now } = look;
    log.start = start;
    compact(log);
    for (let taken = 0; taken < cost; taken += 1) log.times.push(now);
    state.resetMs = (log.times[log.start] ?? now) + MINUTE_MS - clockNow;
  } else {
    const { stored, day, used } = look;
    stored.day = day;
    stored.count = used + cost;
    state.resetMs = (day + 1) * DAY_MS - clockNow;
  }
  state.remaining = Math.max(0, state.remaining - cost);
}

/** Moves what still counts to the front, seldom enough to cost next to nothing for any limit. */
function compact(log: MinuteLog): void {
  if (log.start < 16 || log.start < log.times.length / 2) return;
  log.times.splice(0, log.start);
  log.start = 0;
}

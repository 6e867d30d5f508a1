import type { Logger } from "@dueday/config/createLogger";
import { within } from "@dueday/core/within";
import type { Check } from "../health/check";
import { fallbackLimiter } from "./fallbackLimiter";
import type { Limiter } from "./limiter";
import { memoryLimiter } from "./memoryLimiter";
import { redisConnection } from "./redisConnection";
import { redisLimiter } from "./redisLimiter";

export type StartLimiterOptions = {
  /** Null: limits are counted in this process. */
  redisUrl: string | null;
  logger: Logger;
  /** Unix milliseconds. Limits on Redis use Redis's own clock. */
  clock: () => number;
  /** A Redis that answers later counts as away. Default 100 ms. */
  deadlineMs?: number | undefined;
  /** In place of Redis's own clock, for tests. */
  redisClock?: (() => number) | undefined;
};

export type RunningLimiter = Limiter & {
  /** Whether the limits hold across all processes. */
  check(): Check;
  close(): void;
};

const KEY_PREFIX = "dueday:limit:";
const DEADLINE_MS = 100;

/** Starts the limiter of a process: on Redis where there is one, and in memory while Redis is unavailable. */
export async function startLimiter(options: StartLimiterOptions): Promise<RunningLimiter> {
  const { redisUrl, logger, clock, redisClock, deadlineMs = DEADLINE_MS } = options;
  const local = memoryLimiter({ clock });
  if (redisUrl === null) return { take: local.take, check: () => ({ status: "ok" }), close: () => {} };
  const redis = redisConnection(redisUrl, (reason) => limiter.degrade(reason));
  const limiter = fallbackLimiter({
    shared: redisLimiter({ send: redis.send, prefix: KEY_PREFIX, deadlineMs, clock: redisClock }),
    local,
    async probe() {
      await redis.renew();
      await within("Redis", deadlineMs, redis.send("PING", []));
    },
    onChange(degraded, err) {
      if (degraded) logger.warn({ err }, "limits are counted in this process: Redis does not answer in time");
      else logger.info("limits are shared on Redis again");
    },
  });
  // A service that starts while Redis is unavailable, or refuses its password, begins with local limits.
  await redis.renew().catch(limiter.degrade);
  return {
    take: limiter.take,
    check: () => (limiter.degraded ? DEGRADED : { status: "ok" }),
    close() {
      limiter.close();
      redis.close();
    },
  };
}

const DEGRADED: Check = {
  status: "degraded",
  reason: "Redis does not answer in time: each process counts for itself",
};

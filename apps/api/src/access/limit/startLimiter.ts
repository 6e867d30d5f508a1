import type { Logger } from "@dueday/config/createLogger";
import { Redis } from "ioredis";
import type { Check } from "../../context";
import { fallbackLimiter } from "./fallbackLimiter";
import type { Limiter } from "./limiter";
import { memoryLimiter } from "./memoryLimiter";
import { redisLimiter } from "./redisLimiter";

export type StartLimiterOptions = {
  /** Null: limits live in this process. */
  redisUrl: string | null;
  logger: Logger;
  /** Unix milliseconds; limits on Redis go by Redis's own clock. */
  clock: () => number;
};

export type RunningLimiter = Limiter & { check(): Check; close(): void };

const PREFIX = "dueday:";
/** A service that starts while Redis is away begins with local limits. */
const START_PATIENCE_MS = 1_000;

/** The limiter of a process: on Redis where there is one, with its own buckets as long as Redis is away. */
export async function startLimiter({ redisUrl, logger, clock }: StartLimiterOptions): Promise<RunningLimiter> {
  const local = memoryLimiter({ clock });
  if (redisUrl === null)
    return { takerOf: local.takerOf, take: local.take, check: () => ({ status: "ok" }), close: () => {} };
  const redis = connect(redisUrl);
  const limiter = fallbackLimiter({
    shared: redisLimiter({ redis, prefix: PREFIX }),
    local,
    probe: () => redis.ping(),
    onChange(degraded, err) {
      if (degraded) logger.warn({ err }, "limits are counted in this process: Redis does not answer in time");
      else logger.info("limits are shared on Redis again");
    },
  });
  await Promise.race([new Promise((ready) => redis.once("ready", ready)), Bun.sleep(START_PATIENCE_MS)]);
  return {
    takerOf: limiter.takerOf,
    take: limiter.take,
    check: () => (limiter.degraded ? DEGRADED : { status: "ok" }),
    close() {
      limiter.close();
      redis.disconnect();
    },
  };
}

const DEGRADED: Check = {
  status: "degraded",
  reason: "Redis does not answer in time: each process counts for itself",
};

function connect(redisUrl: string): Redis {
  const redis = new Redis(redisUrl, {
    // What Redis can't be asked at once is decided locally: nothing waits for a connection, or is sent again after one was lost.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1_000,
    // A connection that stands still is given up for a new one.
    socketTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
  });
  // Each lost connection would be an error nobody listens to; the limiter tells when it begins and ends to matter.
  redis.on("error", () => {});
  return redis;
}

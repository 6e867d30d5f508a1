import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";
import type { Database } from "@dueday/db/connectDatabase";
import { rotateIdentityKey } from "@dueday/db/queries/rotateIdentityKey";
import type { Check } from "../check";
import { DAY_MS } from "../limits/limiter";
import { startLimiter } from "../limits/startLimiter";
import { type Access, createAccess } from "./access";
import { createClientIdentity } from "./clientIdentity";
import { createDeveloperKeys } from "./keys/developerKeys";

export type AccessOptions = {
  config: Config;
  logger: Logger;
  database: Database;
  /** Unix milliseconds. */
  clock: () => number;
  /** How long the limiter waits for Redis, milliseconds. Default 100. */
  redisDeadlineMs?: number | undefined;
};

export type RunningAccess = {
  access: Access;
  /** Whether limits are shared with other processes, as /status tells it. */
  checkLimiter(): Check;
  close(): Promise<void>;
};

const ROTATE_EVERY_MS = 3_600_000;

/** Starts what lanes, keys and limits need: the key that hides addresses, the memory of keys, and the limiter. */
export async function startAccess(options: AccessOptions): Promise<RunningAccess> {
  const { config, logger, database, clock, redisDeadlineMs } = options;
  // The day before stays known: around midnight its hashes still count.
  const rotate = () => rotateIdentityKey(database, Math.floor(clock() / DAY_MS) - 1);
  const identify = createClientIdentity(await rotate());
  const rotation = setInterval(() => {
    rotate().catch((err: unknown) => logger.warn({ err }, "the key of addresses could not be brought up to date"));
  }, ROTATE_EVERY_MS);
  const keys = createDeveloperKeys({
    database,
    clock,
    onError: (err) => logger.warn({ err }, "developer keys can't be refreshed: known ones go on working"),
  });
  const limiter = await startLimiter({ redisUrl: config.redisUrl, logger, clock, deadlineMs: redisDeadlineMs });
  return {
    access: createAccess({ config, clock, database, identify, keys, limiter }),
    checkLimiter: limiter.check,
    async close() {
      clearInterval(rotation);
      limiter.close();
      await keys.close();
    },
  };
}

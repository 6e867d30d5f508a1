import { readConfig } from "@dueday/api/config";
import { startApi } from "@dueday/api/startApi";
import { CLOCK_RATE } from "@dueday/api/test/startApiProcess";
import { createLogger } from "@dueday/config/createLogger";
import { connectDatabase } from "@dueday/db/connectDatabase";

// An API process for a test of exact limits on Redis. It waits for Redis for longer than an overloaded machine pauses, and its limits use a fast clock.
const REDIS_DEADLINE_MS = 10_000;

const { config, databaseUrl } = readConfig();
const logger = createLogger(config);
const database = connectDatabase({ url: databaseUrl });
const { url } = await startApi(config, {
  logger,
  database,
  databaseUrl,
  redisDeadlineMs: REDIS_DEADLINE_MS,
  redisClock: () => Date.now() * CLOCK_RATE,
});
console.error(`Dueday API on ${url}`);

import { ConfigError } from "@dueday/config/configError";
import { type Config, parseConfig } from "@dueday/config/parseConfig";

/**
 * The settings of a worker process.
 *
 * @throws ConfigError with every fault, or because there is no database that other processes could share.
 */
export function readConfig(): Config & { databaseUrl: string } {
  const config = parseConfig(process.env);
  const { databaseUrl } = config;
  if (databaseUrl !== null) return { ...config, databaseUrl };
  const problem = "is missing: a worker of its own needs a PostgreSQL that the API can reach (or use bun run start)";
  throw new ConfigError([{ setting: "DATABASE_URL", problem }]);
}

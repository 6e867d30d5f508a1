import { ConfigError } from "@dueday/config/configError";
import { type Config, parseConfig } from "@dueday/config/parseConfig";

/**
 * The settings of a worker process.
 *
 * @throws ConfigError with every fault, or when there is no database to share with the API processes.
 */
export function readConfig(): Config & { databaseUrl: string } {
  const config = parseConfig(process.env);
  const { databaseUrl } = config;
  if (databaseUrl !== null) return { ...config, databaseUrl };
  const problem =
    "is missing: set it to the URL of the PostgreSQL that the API uses, or run the whole service with bun run start";
  throw new ConfigError([{ setting: "DATABASE_URL", problem }]);
}

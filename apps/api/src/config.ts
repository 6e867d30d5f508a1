import { ConfigError } from "@dueday/config/configError";
import { type Config, parseConfig } from "@dueday/config/parseConfig";

/** The settings of this process, and what only an API process of its own needs. */
export type ApiConfig = { config: Config; databaseUrl: string; checkOutputs: boolean };

/**
 * Reads the environment.
 *
 * @throws ConfigError with every fault, or because there is no database that a worker could share.
 */
export function readConfig(): ApiConfig {
  const config = parseConfig(process.env);
  if (config.databaseUrl === null) {
    const problem = "is missing: it names the database of the worker; `bun run start` brings its own";
    throw new ConfigError([{ setting: "DATABASE_URL", problem }]);
  }
  const checkOutputs = process.env.NODE_ENV === "development" || process.env.NODE_ENV === "test";
  return { config, databaseUrl: config.databaseUrl, checkOutputs };
}

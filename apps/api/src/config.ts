import { type Config, parseConfig } from "@dueday/config/parseConfig";

/** The settings of this process, and what only an API process of its own needs. */
export type ApiConfig = { config: Config; databaseUrl: string; checkOutputs: boolean };

/**
 * Reads the environment.
 *
 * @throws ConfigError naming every setting that is wrong; Error without DATABASE_URL.
 */
export function readConfig(): ApiConfig {
  const config = parseConfig(process.env);
  if (config.databaseUrl === null) {
    throw new Error("`bun run api` needs DATABASE_URL, the database of its worker; `bun run start` needs no setting");
  }
  const checkOutputs = process.env.NODE_ENV === "development" || process.env.NODE_ENV === "test";
  return { config, databaseUrl: config.databaseUrl, checkOutputs };
}

import { ConfigError, type ConfigFault } from "@dueday/config/configError";
import { type Config, parseConfig } from "@dueday/config/parseConfig";

/** The settings of this process, and what only an API process of its own needs. */
export type ApiConfig = { config: Config; databaseUrl: string; checkOutputs: boolean };

/**
 * Reads the environment.
 *
 * @throws ConfigError with every fault, a missing database that a worker could share and one port for two servers among them.
 */
export function readConfig(env: Record<string, string | undefined> = process.env): ApiConfig {
  const config = parseConfig(env);
  const { databaseUrl, port, metricsPort } = config;
  const faults: ConfigFault[] = [];
  if (metricsPort === port && port !== 0) {
    faults.push({ setting: "METRICS_PORT", problem: "is that of PORT: give the metrics one of their own" });
  }
  if (databaseUrl === null) {
    const problem = "is missing: it names the database of the worker; `bun run start` brings its own";
    throw new ConfigError([...faults, { setting: "DATABASE_URL", problem }]);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  const checkOutputs = env.NODE_ENV === "development" || env.NODE_ENV === "test";
  return { config, databaseUrl, checkOutputs };
}

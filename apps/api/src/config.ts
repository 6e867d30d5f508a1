import { ConfigError, type ConfigFault } from "@dueday/config/configError";
import { type Config, parseConfig } from "@dueday/config/parseConfig";

/** The settings of an API process. */
export type ApiConfig = { config: Config; databaseUrl: string; checkOutputs: boolean };

/**
 * Reads the environment.
 *
 * @throws ConfigError with every fault of the settings or, where they have none, for a missing DATABASE_URL and for one port for API and
 * metrics.
 */
export function readConfig(env: Record<string, string | undefined> = process.env): ApiConfig {
  const config = parseConfig(env);
  const { databaseUrl, port, metricsPort } = config;
  const faults: ConfigFault[] = [];
  if (metricsPort === port && port !== 0) {
    faults.push({ setting: "METRICS_PORT", problem: "must differ from PORT" });
  }
  if (databaseUrl === null) {
    const problem =
      "is missing: set it to the database that the worker uses, or use `bun run start`, which starts its own database";
    faults.push({ setting: "DATABASE_URL", problem });
  }
  if (databaseUrl === null || faults.length > 0) throw new ConfigError(faults);
  const checkOutputs = env.NODE_ENV === "development" || env.NODE_ENV === "test";
  return { config, databaseUrl, checkOutputs };
}

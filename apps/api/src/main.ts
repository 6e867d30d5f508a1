import { fileURLToPath } from "node:url";
import { ConfigError } from "@dueday/config/configError";
import { createLogger } from "@dueday/config/createLogger";
import { describeError } from "@dueday/config/describeError";
import { aborted } from "@dueday/core/aborted";
import { awaitDatabase } from "@dueday/db/awaitDatabase";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { createRegistry } from "@dueday/metrics/createRegistry";
import { startMetricsServer } from "@dueday/metrics/startMetricsServer";
import { startTelemetry } from "@dueday/metrics/startTelemetry";
import { readConfig } from "./config";
import { startApi } from "./startApi";

/** The build of the web app in this repository. The path is the same from the bundle of this file in `apps/api/build`. */
const APP_FOLDER = fileURLToPath(new URL("../../web/build", import.meta.url));

async function main(): Promise<void> {
  const { config, databaseUrl, checkOutputs } = readConfig();
  const ending = new AbortController();
  const { signal } = ending;
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => ending.abort());
  const logger = createLogger(config);
  const database = connectDatabase({ url: databaseUrl });
  const registry = createRegistry();
  const metrics = startMetricsServer({ registry, port: config.metricsPort, host: config.host });
  if (metrics.url !== null) logger.info({ url: metrics.url }, "metrics are served");
  const telemetry = await startTelemetry(config, { registry, logger, service: "dueday-api" });
  await awaitDatabase(database, { signal, logger });
  if (!signal.aborted) {
    const api = await startApi(config, {
      logger,
      database,
      databaseUrl,
      registry,
      traces: telemetry.traces,
      checkOutputs,
      appFolder: APP_FOLDER,
    });
    // A tenth of the process's memory is garbage of the start, which would be collected only after many requests.
    Bun.gc(true);
    console.error(`Dueday API on ${api.url}`);
    await aborted(signal);
    await api.stop();
  }
  await telemetry.stop();
  await metrics.stop();
  await database.close();
}

main().then(
  () => process.exit(0),
  (error) => {
    // The message of a ConfigError lists each fault on its own line, and repeats no value.
    const reason = error instanceof ConfigError ? error.message : describeError(error).message;
    console.error(reason ?? "the API did not start");
    process.exit(1);
  },
);

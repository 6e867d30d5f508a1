import { ConfigError } from "@dueday/config/configError";
import { createLogger } from "@dueday/config/createLogger";
import { describeError } from "@dueday/config/describeError";
import { awaitDatabase } from "@dueday/db/awaitDatabase";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { createRegistry } from "@dueday/metrics/createRegistry";
import { startTelemetry } from "@dueday/metrics/startTelemetry";
import { readConfig } from "./config";
import { type RunningWorker, startWorker } from "./startWorker";
import { startWorkerMetrics } from "./startWorkerMetrics";

/** A supervisor that sent SIGTERM kills the process after 10 s. */
const END_WITHIN_MS = 9_500;

async function run(): Promise<void> {
  const config = readConfig();
  const logger = createLogger(config);
  const registry = createRegistry();
  const metrics = await startWorkerMetrics(config, registry);
  if (metrics.url !== null) logger.info({ url: metrics.url }, "metrics are served");
  const telemetry = await startTelemetry(config, { registry, logger, service: "dueday-worker" });
  const database = connectDatabase({ url: config.databaseUrl });
  const ending = new AbortController();
  let worker: RunningWorker | null = null;

  async function end(exitCode: number): Promise<never> {
    setTimeout(() => process.exit(1), END_WITHIN_MS);
    await worker?.stop();
    await telemetry.stop();
    await metrics.stop();
    await database.close();
    process.exit(exitCode);
  }

  /** The first call decides the exit code. */
  function stop(exitCode: number): void {
    if (ending.signal.aborted) return;
    ending.abort();
    end(exitCode).catch((error: unknown) => {
      logger.fatal({ err: error }, "the worker did not stop cleanly");
      process.exit(1);
    });
  }

  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop(0));
  await awaitDatabase(database, { signal: ending.signal, logger });
  if (ending.signal.aborted) return;
  worker = startWorker(config, {
    database,
    databaseUrl: config.databaseUrl,
    logger,
    registry,
    traces: telemetry.traces,
    clock: Date.now,
    onFatal(error) {
      logger.fatal({ err: error }, "the worker ends");
      stop(1);
    },
  });
}

run().catch((error: unknown) => {
  // A ConfigError has one line for each fault and repeats no value.
  const reason = error instanceof ConfigError ? error.message : describeError(error).message;
  process.stderr.write(`${reason ?? "the worker did not start"}\n`);
  process.exit(1);
});

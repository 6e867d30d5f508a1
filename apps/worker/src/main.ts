import { ConfigError } from "@dueday/config/configError";
import { createLogger } from "@dueday/config/createLogger";
import { describeError } from "@dueday/config/describeError";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { createRegistry } from "@dueday/metrics/createRegistry";
import { readConfig } from "./config";
import { startWorker } from "./startWorker";
import { startWorkerMetrics } from "./startWorkerMetrics";

async function run(): Promise<void> {
  const config = readConfig();
  const logger = createLogger(config);
  const registry = createRegistry();
  const metrics = await startWorkerMetrics(config, registry);
  if (metrics.url !== null) logger.info({ url: metrics.url }, "metrics are served");
  const database = connectDatabase({ url: config.databaseUrl });

  async function stop(exitCode: number): Promise<never> {
    await worker.stop();
    await metrics.stop();
    await database.close();
    process.exit(exitCode);
  }

  const worker = startWorker(config, {
    database,
    logger,
    registry,
    clock: Date.now,
    onFatal(error) {
      logger.fatal({ err: error }, "the worker ends");
      void stop(1);
    },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop(0));
}

run().catch((error: unknown) => {
  // The faults of the settings stand on lines of their own and repeat no value.
  const reason = error instanceof ConfigError ? error.message : describeError(error).message;
  process.stderr.write(`${reason ?? "the worker did not start"}\n`);
  process.exit(1);
});

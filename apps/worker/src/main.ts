import { ConfigError } from "@dueday/config/configError";
import { createLogger } from "@dueday/config/createLogger";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { readConfig } from "./config";
import { startWorker } from "./startWorker";

function run(): void {
  const config = readConfig();
  const logger = createLogger(config);
  const database = connectDatabase({ url: config.databaseUrl });

  async function stop(exitCode: number): Promise<never> {
    await worker.stop();
    await database.close();
    process.exit(exitCode);
  }

  const worker = startWorker(config, {
    database,
    logger,
    clock: Date.now,
    onFatal(error) {
      logger.fatal({ err: error }, "the worker ends");
      void stop(1);
    },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop(0));
}

try {
  run();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

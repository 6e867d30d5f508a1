import { createLogger } from "@dueday/config/createLogger";
import { describeError } from "@dueday/config/describeError";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { readConfig } from "./config";
import { startApi } from "./server";

async function main(): Promise<void> {
  const { config, databaseUrl, checkOutputs } = readConfig();
  const logger = createLogger(config);
  const database = connectDatabase({ url: databaseUrl });
  const api = await startApi(config, { logger, database, databaseUrl, checkOutputs });
  console.error(`Dueday API on ${api.url}`);
  const ended = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ended.resolve());
  await ended.promise;
  await api.stop();
  await database.close();
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(describeError(error).message ?? "the API did not start");
    process.exit(1);
  },
);

import { join } from "node:path";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { buildApp } from "@dueday/web/tools/buildApp";
import { readSecretsKey } from "./readSecretsKey";
import { requireFreePort } from "./requireFreePort";
import { runUntilSignal } from "./runUntilSignal";
import { startService } from "./startService";

await runUntilSignal(async (cleanUp, onFatal) => {
  const settings = parseConfig(process.env);
  // A database that this process does not own may contain secrets that are encrypted with another key.
  const makesKey = settings.secretsKey === null && settings.databaseUrl === null;
  const config = makesKey ? { ...settings, secretsKey: await readSecretsKey(settings.dataDir) } : settings;
  const logger = createLogger(config);
  await requireFreePort(config.host, config.port);
  let { databaseUrl } = config;
  if (databaseUrl === null) {
    const onRestart = () => logger.error("the embedded PostgreSQL ended by itself; it was restarted");
    const supervision = { onRestart, onFatal };
    const postgres = await startEmbeddedPostgres({ dataDir: join(config.dataDir, "postgres"), supervision });
    cleanUp.add(() => postgres.stop());
    databaseUrl = postgres.url;
  }
  const service = await startService(config, { databaseUrl, logger, buildApp, onFatal });
  cleanUp.add(() => service.stop());
  const app = config.webEnabled ? `app: ${service.url}/app, ` : "";
  process.stderr.write(`Dueday on ${service.url} (${app}docs: ${service.url}/docs). Ctrl-C ends it.\n`);
});

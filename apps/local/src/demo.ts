import { rm } from "node:fs/promises";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { makeProcessFolder, removeAbandonedFolders } from "@dueday/db/embedded/processFolder";
import { startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { demoSettings } from "./demoSettings";
import { requireFreePort } from "./requireFreePort";
import { runUntilSignal } from "./runUntilSignal";
import { startService } from "./startService";
import { waitForPlan } from "./waitForPlan";
import { welcome } from "./welcome";

const FOLDER = "dueday-demo-";

await runUntilSignal(async (cleanUp, onFatal) => {
  const before = parseConfig(demoSettings(process.env, null));
  await requireFreePort(before.host, before.port);
  await removeAbandonedFolders(FOLDER);
  const folder = await makeProcessFolder(FOLDER);
  cleanUp.add(() => rm(folder, { recursive: true, force: true }));
  const onRestart = () => process.stderr.write("the demo's PostgreSQL ended by itself; it was restarted\n");
  const now = Math.floor(Date.now() / 1000);
  const [postgres, devnet] = await Promise.all([
    startEmbeddedPostgres({ dataDir: folder, temporary: true, supervision: { onRestart, onFatal } }).then((server) => {
      cleanUp.add(() => server.stop());
      return server;
    }),
    startDevnet({ scenario: demo, now }).then((chain) => {
      cleanUp.add(() => chain.stop());
      return chain;
    }),
  ]);
  const config = parseConfig(demoSettings(process.env, devnet));
  const service = await startService(config, { databaseUrl: postgres.url, logger: createLogger(config), onFatal });
  cleanUp.add(() => service.stop());
  const plan = await waitForPlan(service.url);
  process.stdout.write(
    welcome({ apiUrl: service.url, devnet, web: config.webEnabled, plan, seconds: performance.now() / 1000 }),
  );
});

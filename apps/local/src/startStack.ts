import { rm } from "node:fs/promises";
import type { ExampleInputs } from "@dueday/api/surfaces/openapi/openapi";
import { createLogger } from "@dueday/config/createLogger";
import { type Config, parseConfig } from "@dueday/config/parseConfig";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { cacheFolder } from "@dueday/db/embedded/cacheFolder";
import { clusterTemplate } from "@dueday/db/embedded/clusterTemplate";
import { makeProcessFolder, removeAbandonedFolders } from "@dueday/db/embedded/processFolder";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import type { Supervision } from "@dueday/db/embedded/superviseServer";
import type { DevnetScenario } from "@dueday/devnet/scenarios/devnetScenario";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import type { CleanUp } from "./createCleanUp";
import { readPort } from "./readPort";
import { requireFreePort } from "./requireFreePort";
import { stackSettings } from "./stackSettings";
import { type Service, startService } from "./startService";
import { waitForPlan } from "./waitForPlan";

export type StackOptions = {
  /** Settings such as PORT and DEVNET_PORT, the port of the chain's node. Those that name a database or a chain are ignored. */
  env: Readonly<Record<string, string | undefined>>;
  scenario: DevnetScenario;
  /** Finds inputs that the scenario can answer, for the examples of the OpenAPI document. */
  findExamples?: (devnet: Devnet) => Promise<ExampleInputs>;
  /** Prefix of the temporary folder's name, by which the next start finds what a killed process left behind. */
  folder: string;
  /** Builds the web app and returns its folder. Default: the app is not served. */
  buildApp?: () => Promise<string>;
  /** A mail server for reminders, unless SMTP_URL names one. It needs a fixed PORT, to which the links in mails lead. Default: none. */
  smtpUrl?: string;
  /** Writes a line for the user, or a line of the log. */
  write(line: string): void;
  /** Gets a step for each started part, also when a later one fails. */
  cleanUp: CleanUp;
  /** Called when the stack can't go on. */
  onFatal(error: Error): void;
};

/** A private chain with the whole service on it, which serves the plan. */
export type Stack = {
  service: Service;
  devnet: Devnet;
  plan: RemitReadiness;
  hasApp: boolean;
  /** URL of the stack's PostgreSQL, with the credentials. */
  databaseUrl: string;
};

const DEVNET_HOST = "127.0.0.1";
const DEVNET_PORT = 8545;
const HEAD_EVERY_MS = 50;
/** Everything is temporary: work that is under way when the stack stops need not be finished. */
const SERVICE_STOP_MS = 2_000;

/** Starts PostgreSQL and a devnet with a scenario in temporary places, and the service on them. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { scenario, write, buildApp, cleanUp, onFatal } = options;
  const env = buildApp === undefined ? { ...options.env, WEB_ENABLED: "false" } : options.env;
  const before = parseConfig(stackSettings(env, null));
  const devnetPort = readPort(env, "DEVNET_PORT", before.port === 0 ? 0 : DEVNET_PORT);
  await requireFreePort(before.host, before.port, "PORT");
  await requireFreePort(DEVNET_HOST, devnetPort, "DEVNET_PORT");
  await removeAbandonedFolders(options.folder);
  const folder = await makeProcessFolder(options.folder);
  cleanUp.add(() => rm(folder, { recursive: true, force: true }));
  const supervision = { onRestart: () => write("PostgreSQL ended by itself; it was restarted\n"), onFatal };
  const now = Math.floor(Date.now() / 1000);
  const starts = [
    startPostgres(folder, supervision).then((server) => {
      cleanUp.add(() => server.stop());
      return server;
    }),
    startDevnet({ scenario, now, port: devnetPort }).then((chain) => {
      cleanUp.add(() => chain.stop());
      return chain;
    }),
  ] as const;
  // If one start fails, the part that the other starts still has to be stopped.
  await Promise.allSettled(starts);
  const [postgres, devnet] = await Promise.all(starts);
  const config = withMail(parseConfig(stackSettings(env, devnet)), options.smtpUrl);
  const logger = createLogger(config, { write });
  const exampleInputs = await options.findExamples?.(devnet);
  const parts = { databaseUrl: postgres.url, logger, headEveryMs: HEAD_EVERY_MS, buildApp, onFatal };
  const service = await startService(config, { ...parts, ...(exampleInputs !== undefined && { exampleInputs }) });
  cleanUp.add(() => Promise.race([service.stop(), Bun.sleep(SERVICE_STOP_MS)]));
  return {
    service,
    devnet,
    plan: await waitForPlan(service.url),
    hasApp: config.webEnabled,
    databaseUrl: postgres.url,
  };
}

/** Links in mails lead to this machine unless PUBLIC_URL is set. */
function withMail(config: Config, smtpUrl: string | undefined): Config {
  if (config.mail !== null || smtpUrl === undefined || config.port === 0) return config;
  const publicUrl = config.publicUrl ?? `http://127.0.0.1:${config.port}`;
  return { ...config, mail: { smtpUrl, from: "Dueday <reminders@dueday.example>", replyTo: null, publicUrl } };
}

async function startPostgres(dataDir: string, supervision: Supervision): Promise<EmbeddedPostgres> {
  const cacheDir = await cacheFolder();
  const template = await clusterTemplate(cacheDir, new Date());
  return startEmbeddedPostgres({ dataDir, cacheDir, template, temporary: true, supervision });
}

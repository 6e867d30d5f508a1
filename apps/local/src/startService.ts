import { startApi } from "@dueday/api/startApi";
import type { ExampleInputs } from "@dueday/api/surfaces/openapi/openapi";
import { clockBound } from "@dueday/chain/client/createBlockJudge";
import { createEndpoints } from "@dueday/chain/client/createEndpoints";
import { createRpcUsage } from "@dueday/chain/client/createRpcUsage";
import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";
import { connectDatabase, type Database } from "@dueday/db/connectDatabase";
import { migrateDatabase } from "@dueday/db/migrateDatabase";
import { createRegistry } from "@dueday/metrics/createRegistry";
import { startTelemetry } from "@dueday/metrics/startTelemetry";
import { startWorker } from "@dueday/worker/startWorker";
import { startWorkerMetrics } from "@dueday/worker/startWorkerMetrics";
import { createCleanUp } from "./createCleanUp";

export type Service = {
  /** Where the API listens. */
  url: string;
  database: Database;
  stop(): Promise<void>;
};

export type ServiceParts = {
  databaseUrl: string;
  logger: Logger;
  /**
   * Milliseconds between two polls of the head. Setting it also requests a scan after each block: only for a chain whose node costs nothing.
   * Default: the pace of the chain's profile, and scans after events only.
   */
  headEveryMs?: number;
  /** Builds the web app and returns its folder. Default: the app is not served. */
  buildApp?: (() => Promise<string>) | undefined;
  /** Inputs that the chain can answer, for the examples of the OpenAPI document. */
  exampleInputs?: ExampleInputs;
  /** Called when the service can't go on. */
  onFatal(error: Error): void;
};

/** The whole service in this process: a migrated database, the API and the worker, which exchange data through the database only. */
export async function startService(config: Config, parts: ServiceParts): Promise<Service> {
  const { databaseUrl, logger, onFatal, buildApp, headEveryMs } = parts;
  const cleanUp = createCleanUp();
  try {
    const registry = createRegistry();
    const metrics = await startWorkerMetrics(config, registry);
    cleanUp.add(() => metrics.stop());
    await migrateDatabase(databaseUrl);
    const database = connectDatabase({ url: databaseUrl });
    cleanUp.add(() => database.close());
    const { traces, stop: stopTelemetry } = await startTelemetry(config, { registry, logger, service: "dueday" });
    cleanUp.add(stopTelemetry);
    // Shared, because a node counts the calls of API and worker together.
    const endpoints = new Map(
      config.chains.map((chain) => {
        const { chainId, rpcUrls } = chain;
        const options = { chainId, rpcUrls, clockBound: clockBound(chain, Date.now), usage: createRpcUsage() };
        return [chainId, createEndpoints(options)];
      }),
    );
    const shared = { database, logger, registry, traces, endpoints, clock: Date.now };
    const worker = startWorker(config, { ...shared, databaseUrl, headEveryMs, onFatal });
    // The worker and the API stop at the same time: each may take most of the time in which a process has to end.
    const stops = [worker.stop];
    cleanUp.add(() => Promise.all(stops.map((stop) => stop())));
    const appFolder = config.webEnabled ? await buildApp?.() : undefined;
    const { exampleInputs } = parts;
    const api = await startApi(config, {
      ...shared,
      databaseUrl,
      exampleInputs,
      ...(appFolder !== undefined && { appFolder }),
    });
    stops.push(api.stop);
    return { url: api.url, database, stop: cleanUp.run };
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}

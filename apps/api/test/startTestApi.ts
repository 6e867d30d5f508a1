import type { Operation } from "@dueday/api/operation/defineOperation";
import { type RunningApi, startApi } from "@dueday/api/startApi";
import type { ExampleInputs } from "@dueday/api/surfaces/openapi/openapi";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import type { ResolveHost } from "@dueday/core/webhooks/resolveWebhookHost";
import type { Registry } from "@dueday/metrics/createRegistry";
import type { Traces } from "@dueday/metrics/traces/traces";
import type { TestDatabase } from "@dueday/test-support/createTestDatabase";

export const TEST_CHAIN_ID = 31337;

export type TestApi = RunningApi & {
  /** Log lines of requests, as JSON. */
  requestLog(): Record<string, unknown>[];
  /** Everything that was logged, as text. */
  logText(): string;
};

export type TestApiOptions = {
  database: TestDatabase;
  rpcUrl: string;
  contract: string;
  /** Unix milliseconds. */
  clock?: () => number;
  operations?: readonly Operation[];
  /** For the metrics of the process. */
  registry?: Registry;
  traces?: Traces | null;
  /** Between two comments in a stream without events. */
  beatMs?: number;
  /** The folder of the built web app. */
  appFolder?: string;
  /** The addresses of host names of webhooks. */
  resolveWebhookHost?: ResolveHost;
  /** Inputs for the examples of the OpenAPI document. */
  exampleInputs?: ExampleInputs;
  /** Further settings. */
  env?: Record<string, string>;
};

/** High, so that a test meets a limit only where it sets one. */
const LIMITS = ["FREE", "DEVELOPER"].flatMap((lane) =>
  ["GLOBAL_RPM", "EXPENSIVE_RPM", "SUBGRAPH_DAILY", "WRITE_RPM", "WRITE_DAILY", "DAILY_TOTAL_REQUESTS"].map(
    (name) => `LIMIT_${lane}_${name}`,
  ),
);

/** An API process on a free port, on one chain, checking its own answers; its log is kept. */
export async function startTestApi({ database, rpcUrl, contract, env, ...parts }: TestApiOptions): Promise<TestApi> {
  const lines: string[] = [];
  const config = parseConfig({
    PORT: "0",
    CHAINS: String(TEST_CHAIN_ID),
    [`CHAIN_${TEST_CHAIN_ID}_RPC_URLS`]: rpcUrl,
    [`CHAIN_${TEST_CHAIN_ID}_CONTRACT`]: contract,
    [`CHAIN_${TEST_CHAIN_ID}_NAME`]: "Devnet",
    ...Object.fromEntries(LIMITS.map((name) => [name, "1000000"])),
    ...env,
  });
  const api = await startApi(config, {
    logger: createLogger(config, { write: (line) => void lines.push(line) }),
    database: database.database,
    databaseUrl: database.url,
    checkOutputs: true,
    monitorIntervalMs: 50,
    ...parts,
  });
  const text = () => lines.join("");
  const parsed = () =>
    text()
      .trim()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
  return {
    ...api,
    requestLog: () => parsed().filter((line) => line.msg === "request"),
    logText: text,
  };
}

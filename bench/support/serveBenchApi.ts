import { startApi } from "@dueday/api/startApi";
import { createLogger } from "@dueday/config/createLogger";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { benchConfig } from "./benchConfig";
import { BENCH_CHAIN_ID, BENCH_CONTRACT } from "./dueSnapshot";

/** Nothing listens there: a polled read sends no request to a node. */
const NO_NODE = "http://127.0.0.1:9";

/** Long, so that the API counts in Redis, and not in memory, even after a pause of the machine. */
const REDIS_DEADLINE_MS = 10_000;

/** Serves the snapshots of a database, in this process. Returns its URL. */
export async function serveBenchApi(databaseUrl: string, settings: Record<string, string> = {}): Promise<string> {
  const chain = { chainId: BENCH_CHAIN_ID, rpcUrl: NO_NODE, contract: BENCH_CONTRACT };
  const config = benchConfig(chain, settings);
  const parts = { logger: createLogger(config), database: connectDatabase({ url: databaseUrl }), databaseUrl };
  const { url } = await startApi(config, { ...parts, redisDeadlineMs: REDIS_DEADLINE_MS });
  return url;
}

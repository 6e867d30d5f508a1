import { createChainClient } from "@dueday/chain/client/createChainClient";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";
import type { Database } from "@dueday/db/connectDatabase";
import { aborted } from "./aborted";
import type { ChainContext } from "./context";
import { prepareChain } from "./prepareChain";
import { workOnChain } from "./workOnChain";

export type WorkerParts = {
  /** Migrated. Stays open: it belongs to the caller. */
  database: Database;
  logger: Logger;
  clock: () => number;
  /** The worker can't go on with a chain, whatever happens: the process should end with this message. */
  onFatal(error: Error): void;
};

export type RunningWorker = {
  /** Ends all work within 10 s, finished or not. */
  stop(): Promise<void>;
};

/** Planning by simulation is the longest request: some seconds on a large backlog. */
const SCAN_TIMEOUT_MS = 30_000;
const HEAD_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 9_000;

/** Begins to work on every chain of the settings, in the background: a node that is away is waited for. */
export function startWorker(config: Config, parts: WorkerParts): RunningWorker {
  const aborter = new AbortController();
  const chains = config.chains.map((chain) => runChain(config, chain, parts, aborter.signal));
  return {
    async stop() {
      aborter.abort();
      await Promise.race([Promise.all(chains), Bun.sleep(STOP_TIMEOUT_MS)]);
    },
  };
}

/** Resolves when the chain's work has ended, after an abort. */
async function runChain(config: Config, chain: ChainConfig, parts: WorkerParts, signal: AbortSignal): Promise<void> {
  const { chainId, rpcUrls } = chain;
  const { database, clock, onFatal } = parts;
  const logger = parts.logger.child({ chainId });
  const client = createChainClient({ chainId, rpcUrls, requestTimeoutMs: SCAN_TIMEOUT_MS });
  const headClient = createChainClient({ chainId, rpcUrls, requestTimeoutMs: HEAD_TIMEOUT_MS });
  const context: ChainContext = { chain, client, database, logger, clock, planCaller: config.planCaller };
  try {
    if (!(await prepareChain(context, signal))) return;
    const work = workOnChain(config, context, headClient);
    await aborted(signal);
    await work.stop();
  } catch (error) {
    onFatal(error instanceof Error ? error : new Error("the worker failed", { cause: error }));
  }
}

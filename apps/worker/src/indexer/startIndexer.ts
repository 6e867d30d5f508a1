import { clockBound } from "@dueday/chain/block/createBlockJudge";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import type { RequestReport } from "@dueday/chain/client/createFailOver";
import type { ChainContext } from "../context";
import { createChainData } from "./createChainData";
import { createProgress } from "./createProgress";
import { runIndexer } from "./runIndexer";

/** As long as a scan's: a range that takes longer is requested in halves. */
const REQUEST_TIMEOUT_MS = 7_000;

/** Indexes the events of a prepared chain until `stop()`. */
export function startIndexer(
  context: ChainContext,
  onRequest?: (report: RequestReport) => void,
): { stop(): Promise<void> } {
  const { chain, database, logger, clock } = context;
  const { chainId, rpcUrls, contract } = chain;
  const client = createChainClient({
    chainId,
    rpcUrls,
    clockBound: clockBound(chain, clock),
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    ...(onRequest && { onRequest }),
  });
  const terminal = process.stderr.isTTY ? process.stderr : null;
  return runIndexer({
    ...{ chain, database, logger, clock },
    chainData: createChainData(client, contract),
    progress: createProgress({ logger, clock, terminal }),
  });
}

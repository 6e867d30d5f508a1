import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { ChainConfig } from "@dueday/config/chains";
import type { Config } from "@dueday/config/parseConfig";
import type { Database } from "@dueday/db/connectDatabase";
import type { HistorySource } from "./historySource";
import { indexSource } from "./indexSource";
import { subgraphSource } from "./subgraph/subgraphSource";

export type HistoryParts = {
  chain: ChainConfig;
  client: ChainClient;
  config: Pick<Config, "historySource" | "subgraphApiKey" | "staleAfterMs">;
  database: Database;
  /** Unix milliseconds. */
  clock: () => number;
};

/** Opens the source of a chain's events that HISTORY_SOURCE selects. */
export function openHistory({ chain, client, config, database, clock }: HistoryParts): HistorySource {
  const { subgraphUrl, contract, chainId, finalityBlocks } = chain;
  if (config.historySource === "subgraph" && subgraphUrl !== null) {
    return subgraphSource({ url: subgraphUrl, apiKey: config.subgraphApiKey, client, contract, clock });
  }
  return indexSource({
    database,
    scope: { chainId, contract },
    finalityBlocks,
    staleAfterMs: config.staleAfterMs,
    clock,
  });
}

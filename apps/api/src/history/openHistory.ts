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
  /** Why nothing of the database is served; null while it is. */
  refusal: () => string | null;
  /** Newest block that the chain's node showed; null before the first. */
  headNumber: () => bigint | null;
};

/** Opens the source of a chain's events that HISTORY_SOURCE selects. */
export function openHistory({
  chain,
  client,
  config,
  database,
  clock,
  refusal,
  headNumber,
}: HistoryParts): HistorySource {
  const { subgraphUrl, contract, chainId, finalityBlocks } = chain;
  if (config.historySource === "subgraph" && subgraphUrl !== null) {
    const endpoint = { url: subgraphUrl, apiKey: config.subgraphApiKey };
    return subgraphSource({ ...endpoint, client, contract, clock, headNumber, finalityBlocks });
  }
  return indexSource({
    database,
    scope: { chainId, contract },
    finalityBlocks,
    staleAfterMs: config.staleAfterMs,
    clock,
    refusal,
  });
}

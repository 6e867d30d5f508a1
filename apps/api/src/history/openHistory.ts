import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { ChainConfig } from "@dueday/config/chains";
import type { Config } from "@dueday/config/parseConfig";
import type { HistorySource } from "./historySource";
import type { IndexReader } from "./indexReader";
import { indexSource } from "./indexSource";
import { subgraphSource } from "./subgraph/subgraphSource";

export type HistoryParts = {
  chain: ChainConfig;
  client: ChainClient;
  config: Pick<Config, "historySource" | "subgraphApiKey">;
  readIndexed: IndexReader;
  /** Unix milliseconds. */
  clock: () => number;
  /** Newest block that the chain's node showed; null before the first. */
  headNumber: () => bigint | null;
};

/** Opens the source of a chain's events that HISTORY_SOURCE selects. */
export function openHistory({ chain, client, config, readIndexed, clock, headNumber }: HistoryParts): HistorySource {
  const { subgraphUrl, contract, finalityBlocks } = chain;
  if (config.historySource === "subgraph" && subgraphUrl !== null) {
    const endpoint = { url: subgraphUrl, apiKey: config.subgraphApiKey };
    return subgraphSource({ ...endpoint, client, contract, clock, headNumber, finalityBlocks });
  }
  return indexSource(readIndexed);
}

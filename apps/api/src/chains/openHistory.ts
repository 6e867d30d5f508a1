import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { ChainConfig } from "@dueday/config/chains";
import type { Config } from "@dueday/config/parseConfig";
import type { HistorySource } from "../history/historySource";
import type { IndexReader } from "../history/indexReader";
import { indexSource } from "../history/indexSource";
import { subgraphSource } from "../history/subgraph/subgraphSource";

export type HistoryParts = {
  chain: ChainConfig;
  client: ChainClient;
  config: Pick<Config, "historySource" | "subgraphApiKey" | "staleAfterMs">;
  readIndexed: IndexReader;
  /** Unix milliseconds. */
  clock: () => number;
  /** Time of the newest block that the chain's node showed, unix seconds; null before the first. */
  headTimestamp: () => bigint | null;
};

/** Opens the source of a chain's events that HISTORY_SOURCE selects. */
export function openHistory({ chain, client, config, readIndexed, clock, headTimestamp }: HistoryParts): HistorySource {
  const { subgraphUrl, contract } = chain;
  if (config.historySource === "subgraph" && subgraphUrl !== null) {
    const endpoint = { url: subgraphUrl, apiKey: config.subgraphApiKey };
    return subgraphSource({ ...endpoint, client, contract, clock, headTimestamp, staleAfterMs: config.staleAfterMs });
  }
  return indexSource(readIndexed);
}

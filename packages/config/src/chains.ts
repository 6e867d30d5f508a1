import { chainDefaults, DEFAULT_CHAIN_ID } from "@dueday/core/chains";
import { address, blockNumber, boolean, integer, list, oneOf, text, url } from "./kinds";
import type { SettingsReader } from "./settingsReader";

const chainId = integer(1, Number.MAX_SAFE_INTEGER);

/** Blocks until a log is final, on a chain of which nothing is known. */
const FINALITY_BLOCKS = 64;

/** The settings of one chain, after `CHAIN_<id>_`. */
export const chainSettings = [
  "RPC_URLS",
  "CONTRACT",
  "START_BLOCK",
  "TOKENS",
  "NAME",
  "REST",
  "MCP",
  "FINALITY_BLOCKS",
  "SUBGRAPH_URL",
] as const;

/** `CHAINS`, `DEFAULT_REST_CHAIN_ID` and `CHAIN_<id>_*`. */
export function readChains(reader: SettingsReader) {
  const chainIds = reader.read("CHAINS", list(chainId), [DEFAULT_CHAIN_ID]);
  const chains = chainIds.flatMap((id) => readChain(reader, id) ?? []);
  const shipped = chainIds.includes(DEFAULT_CHAIN_ID) ? DEFAULT_CHAIN_ID : (chainIds[0] ?? DEFAULT_CHAIN_ID);
  const defaultRestChainId = reader.read("DEFAULT_REST_CHAIN_ID", chainId, shipped);
  if (!chainIds.includes(defaultRestChainId)) {
    reader.fault(
      "DEFAULT_REST_CHAIN_ID",
      `is not one of CHAINS: add ${defaultRestChainId} there, or choose one of them`,
    );
  } else if (chains.some((chain) => chain.chainId === defaultRestChainId && !chain.rest)) {
    reader.fault(
      `CHAIN_${defaultRestChainId}_REST`,
      "is false for the default chain of REST: choose another DEFAULT_REST_CHAIN_ID",
    );
  }
  return { chains, defaultRestChainId, ...readHistory(reader, chains) };
}

/** `HISTORY_SOURCE` and what a subgraph needs. */
function readHistory(reader: SettingsReader, chains: readonly ChainConfig[]) {
  const historySource = reader.read("HISTORY_SOURCE", oneOf("index", "subgraph"), "index");
  for (const { chainId, subgraphUrl } of historySource === "subgraph" ? chains : []) {
    if (subgraphUrl === null && !reader.isSet(`CHAIN_${chainId}_SUBGRAPH_URL`)) {
      reader.fault(`CHAIN_${chainId}_SUBGRAPH_URL`, "is missing: set it, or HISTORY_SOURCE to index");
    }
  }
  return { historySource, subgraphApiKey: reader.readOptional("SUBGRAPH_API_KEY", text) ?? null };
}

/** One chain; null when it lacks what only a setting can say. */
function readChain(reader: SettingsReader, id: number) {
  const setting = (name: (typeof chainSettings)[number]) => `CHAIN_${id}_${name}`;
  const known = chainDefaults[id];
  const rpcUrls = reader.readOptional(setting("RPC_URLS"), list(url("http", "https"))) ?? known?.rpcUrls;
  const contract = reader.readOptional(setting("CONTRACT"), address) ?? known?.contract;
  const others = {
    chainId: id,
    name: reader.read(setting("NAME"), text, known?.name ?? `Chain ${id}`),
    /** First block that can hold an event of the contract; null where nobody said. */
    startBlock: reader.readOptional(setting("START_BLOCK"), blockNumber) ?? known?.startBlock ?? null,
    /** Tokens to ask about, beside those seen in events. */
    tokens: reader.read(setting("TOKENS"), list(address), [...(known?.tokens ?? [])]),
    rest: reader.read(setting("REST"), boolean, true),
    mcp: reader.read(setting("MCP"), boolean, true),
    finalityBlocks: reader.read(
      setting("FINALITY_BLOCKS"),
      integer(0, 1_000_000),
      known?.finalityBlocks ?? FINALITY_BLOCKS,
    ),
    subgraphUrl: reader.readOptional(setting("SUBGRAPH_URL"), url("http", "https")) ?? null,
  };
  for (const name of ["RPC_URLS", "CONTRACT"] as const) {
    if (known === undefined && !reader.isSet(setting(name))) {
      reader.fault(
        setting(name),
        `is missing: chain ${id} has no built-in default, set it or remove ${id} from CHAINS`,
      );
    }
  }
  if (rpcUrls === undefined || contract === undefined) return null;
  return { ...others, contract, /** In the order of fail-over. */ rpcUrls };
}

/** A chain that is served. */
export type ChainConfig = NonNullable<ReturnType<typeof readChain>>;

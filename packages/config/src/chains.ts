import { chainDefaults, DEFAULT_CHAIN_ID, defaultTxGasCap } from "@dueday/core/chains";
import { address, blockNumber, boolean, integer, list, oneOf, text, url } from "./kinds";
import type { SettingsReader } from "./settingsReader";

const chainId = integer(1, Number.MAX_SAFE_INTEGER);

/** Names of the settings of one chain, without their prefix `CHAIN_<id>_`. */
export const chainSettings = [
  "RPC_URLS",
  "CONTRACT",
  "START_BLOCK",
  "TOKENS",
  "NAME",
  "REST",
  "MCP",
  "FINALITY_SECONDS",
  "MAX_CLOCK_AHEAD_SECONDS",
  "TX_GAS_CAP",
  "SUBGRAPH_URL",
  "WS_URL",
  "RPC_PROFILE",
  "BACKFILL_RPC_URLS",
  "LOGS_RPC_URLS",
  "EXPLORER_URL",
  "PUBLIC_RPC_URL",
] as const;

/** How often a chain's node is asked: `fresh` every few seconds, or with each block where blocks are slower; `frugal` fits into a free plan. */
export type RpcProfile = "fresh" | "frugal";

/** Reads `CHAINS`, `DEFAULT_REST_CHAIN_ID`, `CHAIN_<id>_*` and the settings of the history source. */
export function readChains(reader: SettingsReader) {
  const chainIds = reader.read("CHAINS", list(chainId), [DEFAULT_CHAIN_ID]);
  const chains = chainIds.flatMap((id) => readChain(reader, id) ?? []);
  const fallback = chainIds.includes(DEFAULT_CHAIN_ID) ? DEFAULT_CHAIN_ID : (chainIds[0] ?? DEFAULT_CHAIN_ID);
  const defaultRestChainId = reader.read("DEFAULT_REST_CHAIN_ID", chainId, fallback);
  if (!chainIds.includes(defaultRestChainId)) {
    reader.fault(
      "DEFAULT_REST_CHAIN_ID",
      `must be one of the ids in CHAINS: add ${defaultRestChainId} to CHAINS, or choose one of its ids`,
    );
  } else if (chains.some((chain) => chain.chainId === defaultRestChainId && !chain.rest)) {
    reader.fault(
      `CHAIN_${defaultRestChainId}_REST`,
      "must be true, because this is the default chain of REST: set it to true, or choose another DEFAULT_REST_CHAIN_ID",
    );
  }
  return { chains, defaultRestChainId, ...readHistory(reader, chains) };
}

/** Reads `HISTORY_SOURCE` and the settings of the subgraph. */
function readHistory(reader: SettingsReader, chains: readonly ChainConfig[]) {
  const historySource = reader.read("HISTORY_SOURCE", oneOf("index", "subgraph"), "index");
  for (const { chainId, subgraphUrl } of historySource === "subgraph" ? chains : []) {
    if (subgraphUrl === null && !reader.isSet(`CHAIN_${chainId}_SUBGRAPH_URL`)) {
      reader.fault(
        `CHAIN_${chainId}_SUBGRAPH_URL`,
        "is missing: set it to the URL of the chain's subgraph, or set HISTORY_SOURCE to index",
      );
    }
  }
  return { historySource, subgraphApiKey: reader.readOptional("SUBGRAPH_API_KEY", text) ?? null };
}

/** Reads one chain; null when its RPC URLs or its contract are neither set nor built in. */
function readChain(reader: SettingsReader, id: number) {
  const setting = (name: (typeof chainSettings)[number]) => `CHAIN_${id}_${name}`;
  const known = chainDefaults[id];
  const rpcUrls = reader.readOptional(setting("RPC_URLS"), list(url("http", "https"))) ?? known?.rpcUrls;
  const contract = reader.readOptional(setting("CONTRACT"), address) ?? known?.contract;
  const others = {
    chainId: id,
    name: reader.read(setting("NAME"), text, known?.name ?? `Chain ${id}`),
    /** First block that can contain an event of the contract; null where neither set nor built in. */
    startBlock: reader.readOptional(setting("START_BLOCK"), blockNumber) ?? known?.startBlock ?? null,
    /** Tokens to read besides those that occur in events. */
    tokens: reader.read(setting("TOKENS"), list(address), [...(known?.tokens ?? [])]),
    rest: reader.read(setting("REST"), boolean, true),
    mcp: reader.read(setting("MCP"), boolean, true),
    /** Age at which a block counts as final where the node does not know the tag `finalized`; 0: at once, for development chains. */
    finalitySeconds: reader.read(
      setting("FINALITY_SECONDS"),
      integer(0, 604_800, "seconds"),
      known?.finalitySeconds ?? 0,
    ),
    /**
     * How far a block's time may lie ahead of this machine's clock; null: without limit, because the time of a
     * development chain can be moved.
     */
    maxClockAheadSeconds:
      reader.readOptional(setting("MAX_CLOCK_AHEAD_SECONDS"), integer(0, 315_360_000, "seconds")) ??
      known?.maxClockAheadSeconds ??
      null,
    /** Gas that one transaction may have; null: as much as a block. */
    txGasCap: txGasCapOf(reader.readOptional(setting("TX_GAS_CAP"), integer(0, Number.MAX_SAFE_INTEGER, "gas")), id),
    subgraphUrl: reader.readOptional(setting("SUBGRAPH_URL"), url("http", "https")) ?? null,
    /** URL of the node's WebSocket, which sends new logs; null: they are polled. */
    wsUrl: reader.readOptional(setting("WS_URL"), url("ws", "wss")) ?? null,
    rpcProfile: reader.read(setting("RPC_PROFILE"), oneOf<RpcProfile>("fresh", "frugal"), "fresh"),
    /** Nodes that old logs are read from, in fail-over order; empty: those of `rpcUrls`. */
    backfillRpcUrls: reader.read(setting("BACKFILL_RPC_URLS"), list(url("http", "https")), []),
    /**
     * Nodes that accept wide ranges of blocks, in fail-over order: logs near the head are compared with theirs, and the
     * frugal profile reads logs from them. Empty: those of `rpcUrls`.
     */
    logsRpcUrls: reader.read(setting("LOGS_RPC_URLS"), list(url("http", "https")), []),
    /** A block explorer that the web app links to; null: blocks, transactions and addresses are not links. */
    explorerUrl: reader.readOptional(setting("EXPLORER_URL"), url("http", "https")) ?? known?.explorerUrl ?? null,
    /**
     * A node that the web app asks from the browser, for the wallet; null: it asks only the wallet's own node. Unlike
     * `rpcUrls` it is public.
     */
    publicRpcUrl: reader.readOptional(setting("PUBLIC_RPC_URL"), url("http", "https")) ?? null,
  };
  for (const name of ["RPC_URLS", "CONTRACT"] as const) {
    if (known === undefined && !reader.isSet(setting(name))) {
      reader.fault(
        setting(name),
        `is missing: chain ${id} has no built-in default. Set it, or remove ${id} from CHAINS`,
      );
    }
  }
  if (rpcUrls === undefined || contract === undefined) return null;
  return { ...others, contract, /** In fail-over order. */ rpcUrls };
}

/** The setting 0 removes the cap that a chain has by default. */
function txGasCapOf(setting: number | undefined, chainId: number): bigint | null {
  if (setting === undefined) return defaultTxGasCap(chainId);
  return setting === 0 ? null : BigInt(setting);
}

/** The settings of one served chain. */
export type ChainConfig = NonNullable<ReturnType<typeof readChain>>;

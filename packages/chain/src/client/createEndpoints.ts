import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import type { ClockBound } from "./createBlockJudge";
import { createEndpoint } from "./createEndpoint";
import { createFailOver, type Send } from "./createFailOver";
import type { RpcUsage, RpcUsageRow } from "./createRpcUsage";

/** Longest answer of a node that is read. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

export type EndpointsOptions = {
  chainId: number;
  /** In fail-over order. */
  rpcUrls: readonly string[];
  /** Longest answer that is read; default 32 MiB. */
  maxResponseBytes?: number | undefined;
  /** How far a block's time may lie ahead of our clock; no bound by default. */
  clockBound?: ClockBound | undefined;
  /** Milliseconds, from any start; never set back. Default: `performance.now`. */
  clock?: (() => number) | undefined;
  /** Counts what the calls cost. Without it nothing is counted. */
  usage?: RpcUsage | undefined;
};

/** A fact with the time of the clock at which it is read again. */
type Capability = { answer: Promise<boolean>; until: number };

/** How fast a chain's base fee can rise. */
export type FeePace = {
  /** The least milliseconds between two blocks; null where the chain does not show it, for example a development chain whose clock stands still. */
  intervalMs: number | null;
  /** A full block raises the base fee by this fraction of itself: `elasticity - 1` over `denominator` (EIP-1559). */
  rise: { numerator: bigint; denominator: bigint };
};

/** Facts about the chain and its nodes that were read before. */
export type ChainFacts = {
  /** Yes-or-no facts about the node or chain, by name; see `readOnce`. */
  capabilities: Map<string, Capability>;
  /** Immutable metadata by `contract:token`; see `readTokenInfos`. */
  tokens: Map<string, TokenInfo>;
  /** How fast the base fee can rise; see `readFeePace`. */
  feePace?: { answer: Promise<FeePace>; until: number };
};

/** What was learned about an endpoint. */
export type EndpointState = {
  /** Place in the list of URLs. */
  index: number;
  /** The most calls a second that are sent to it; null where no limit is known. */
  callsPerSecond: number | null;
  /** The most calls in one HTTP request. */
  batchSize: number;
  /** Whether it failed some seconds ago, and is tried after the others. */
  isResting: boolean;
};

/**
 * The RPC endpoints of a chain, and what is known about them: rates, batch sizes, blocks, capabilities. All clients of a process
 * for one chain should share one such object, because a node counts the calls of all of them.
 */
export type Endpoints = {
  chainId: number;
  send: Send;
  facts: ChainFacts;
  /** The number of the highest block of which a header was received; null before the first. */
  highestBlock(): bigint | null;
  /** Notes a head that another source has shown, such as another process: a node that sends an older head then lags. */
  noteHead(block: { number: bigint; hash: string }): void;
  states(): EndpointState[];
  /** What the calls of the last minutes cost; empty where nothing is counted. */
  usage(): RpcUsageRow[];
  clock: () => number;
};

export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { chainId, rpcUrls, clockBound, usage, maxResponseBytes: maxBytes = MAX_RESPONSE_BYTES } = options;
  const clock = options.clock ?? (() => performance.now());
  const endpoints = rpcUrls.map((url, index) => createEndpoint(url, index, { chainId, maxBytes, clockBound, clock }));
  const { send, heads } = createFailOver(endpoints, { clock });
  return {
    chainId,
    send(call, callOptions) {
      const onRequest: typeof callOptions.onRequest = (report) => {
        usage?.note(report);
        callOptions.onRequest?.(report);
      };
      return send(call, { ...callOptions, onRequest });
    },
    usage: () => usage?.rows() ?? [],
    facts: { capabilities: new Map(), tokens: new Map() },
    highestBlock: heads.highest,
    noteHead: heads.noteHead,
    states: () =>
      endpoints.map((endpoint) => ({
        index: endpoint.index,
        callsPerSecond: endpoint.callsPerSecond(),
        batchSize: endpoint.batchSize(),
        isResting: endpoint.isResting(),
      })),
    clock,
  };
}

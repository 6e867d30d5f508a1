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
  /** Milliseconds between two blocks, at least; null where the chain does not show it, as a development chain whose clock stands still. */
  intervalMs: number | null;
  /** A full block raises the base fee by this part of it: `elasticity - 1` over `denominator` (EIP-1559). */
  rise: { numerator: bigint; denominator: bigint };
};

/** Facts about the chain and its nodes that were read before. */
export type ChainFacts = {
  /** Whether the node or chain has something, by its name; see `readOnce`. */
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
  /** Calls a second that it is sent at most; null while it has refused none. */
  callsPerSecond: number | null;
  /** Calls in one HTTP request at most. */
  batchSize: number;
  /** Whether it failed some seconds ago, and is tried after the others. */
  isResting: boolean;
};

/**
 * The RPC endpoints of a chain, and what is known about them: rates, batch sizes, blocks, capabilities. All clients of a process
 * for one chain should share it, because a node counts the calls of all of them.
 */
export type Endpoints = {
  chainId: number;
  send: Send;
  facts: ChainFacts;
  /** The highest block that a header was received of; null before the first. */
  highestBlock(): bigint | null;
  /** Learns of a head from somewhere else, such as another process: an older one is then a sign of lag. */
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

/** What a node does that anvil doesn't: every limit and fault is one that providers and node programs were seen to have. */
export type NodeProfile = {
  /** Of each HTTP request. */
  latencyMs?: number;
  /** Every request waits for it: the node hangs until then. */
  hold?: Promise<void>;
  /** Calls that are answered in any second; the others are refused with the whole request, or one by one. */
  callsPerSecond?: { limit: number; refusal: "http_429" | "item_-32016" };
  /**
   * Calls in one batch, and how a longer one is refused. "each_-32014": by an error in each item, as Base's public endpoint does;
   * "http_500_drpc": HTTP 500 with an error object of a provider's own code, as dRPC does on its free plan.
   */
  batchCap?: {
    calls: number;
    refusal: "http_413" | "http_500" | "http_500_drpc" | "list_of_one" | "object" | "each_-32014";
  };
  /** Methods that the node does not have, and how it refuses them. */
  without?: { methods: readonly string[]; refusal: "-32601" | "-32600" | "http_403" };
  /** The logs of a block are there this time later than its header. */
  logsDelayMs?: number;
  /** Every other request goes to a node that is behind by this time. */
  lagMs?: number;
  /** Part of the requests for the head that are answered with null. */
  nullHeads?: number;
  /** Part of the HTTP requests that fail in one of four ways. */
  failures?: number;
  /** Blocks that one eth_getLogs may cover, and how a wider range is refused. */
  logsRange?: { blocks: number; refusal: RangeRefusal };
  /** Logs that one eth_getLogs may return. The refusal suggests the range that was asked for, as Base's node does. */
  logsResults?: number;
  /** Longest answer, in characters. */
  answerSize?: number;
  /** Gas that a call or a transaction may have. */
  gasCap?: number;
  /** Limits of eth_simulateV1. */
  simulation?: SimulationLimits;
  /** Every bit of each bloom is set and no block is empty, as on a busy chain. */
  saturatedBlooms?: boolean;
  /** `timestampMs` in headers and `blockTimestampMs` in logs and transactions, as on Base since November 2026. */
  timestampMs?: boolean;
  /**
   * The block that `safe` and `finalized` name: the latest one that was first seen at least this time ago. "refused": the node does not
   * know the tags.
   */
  finality?: { safeMs: number; finalizedMs: number } | "refused";
};

/**
 * How providers refuse a range, by the code of the error. "-32005": a block range that is too wide; "-32602": Infura;
 * "-32600": Alchemy, which suggests a narrower range; "-32062" and "-32000": others.
 */
export type RangeRefusal = "-32005" | "-32602" | "-32600" | "-32062" | "-32000";

export type SimulationLimits = {
  /** Gas that all calls of a request may use: a later one gets what is left of it, and -38013 without enough for a transaction. */
  requestGas?: number;
  /** A simulated block has the gas limit of the block that it starts from: a call with more than is left of it is refused with -38015. */
  blockGas?: boolean;
  /** The time of a simulated block has to be above that of the block before: -38021. Without it, not below. */
  risingTimes?: boolean;
};

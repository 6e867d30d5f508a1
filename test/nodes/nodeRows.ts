import type { NodeProfile } from "@dueday/test-support/nodeProxy/nodeProfile";

export type NodeRow = {
  name: string;
  profile: NodeProfile;
  /** Between the steps of the replay a block comes at this interval in milliseconds, several with one timestamp. */
  blockTimeMs?: number;
  /** Gas limit of a block; that of the replay's node by default. */
  gasLimit?: bigint;
  /** Settings of the service that an operator has to make for such a node. */
  env?: Record<string, string>;
};

/** Less often than in the other rows, and still more often than by default: the node shall not be busy with scans alone. */
const SELDOM = { SCAN_INTERVAL_MS: "5000" };
const OPTIONAL = ["eth_simulateV1", "eth_createAccessList"];
const GAS_CAP = 16_777_216;
/** As Base since November 2026. */
const BASE = { timestampMs: true, saturatedBlooms: true, finality: { safeMs: 2_000, finalizedMs: 5_000 } } as const;
const BASE_BLOCK_MS = 200;

/** Every node that the service is tested on. */
export const nodeRows: readonly NodeRow[] = [
  { name: "anvil", profile: {} },
  { name: "300 ms latency", profile: { latencyMs: 300 } },
  { name: "logs 300 ms after the header", profile: { logsDelayMs: 300 } },
  { name: "logs 1,500 ms after the header", profile: { logsDelayMs: 1_500 } },
  { name: "HTTP 429 at 25 calls/s", profile: { callsPerSecond: { limit: 25, refusal: "http_429" } }, env: SELDOM },
  {
    name: "-32016 for each call at 40 calls/s",
    profile: { callsPerSecond: { limit: 40, refusal: "item_-32016" } },
    env: SELDOM,
  },
  { name: "batches of 10, HTTP 413", profile: { batchCap: { calls: 10, refusal: "http_413" } } },
  { name: "batches of 3, HTTP 500", profile: { batchCap: { calls: 3, refusal: "http_500" } } },
  { name: "no batches, list of one error", profile: { batchCap: { calls: 1, refusal: "list_of_one" } } },
  { name: "batches of 5, error object", profile: { batchCap: { calls: 5, refusal: "object" } } },
  { name: "no eth_simulateV1", profile: { without: { methods: ["eth_simulateV1"], refusal: "-32601" } } },
  { name: "no eth_createAccessList", profile: { without: { methods: ["eth_createAccessList"], refusal: "-32600" } } },
  { name: "neither method, HTTP 403", profile: { without: { methods: OPTIONAL, refusal: "http_403" } } },
  { name: "half of the requests 1.5 s behind", profile: { lagMs: 1_500 } },
  { name: "null for a third of the heads", profile: { nullHeads: 0.33 } },
  { name: "a tenth of the requests fails", profile: { failures: 0.1 } },
  { name: "logs of 500 blocks at a time", profile: { logsRange: { blocks: 500, refusal: "-32005" } } },
  { name: "answers up to 50,000 characters", profile: { answerSize: 50_000 } },
  {
    name: "16,777,216 gas for a transaction",
    profile: { gasCap: GAS_CAP },
    env: { CHAIN_31337_TX_GAS_CAP: String(GAS_CAP) },
  },
  { name: "200 ms", profile: BASE, blockTimeMs: BASE_BLOCK_MS },
  {
    name: "200 ms and 10 blocks of getLogs",
    profile: { ...BASE, logsRange: { blocks: 10, refusal: "-32600" } },
    blockTimeMs: BASE_BLOCK_MS,
  },
  {
    name: "200 ms, 10 blocks of getLogs, logs 300 ms after the header",
    profile: { ...BASE, logsRange: { blocks: 10, refusal: "-32600" }, logsDelayMs: 300 },
    blockTimeMs: BASE_BLOCK_MS,
  },
  {
    name: "200 ms, 10 blocks of getLogs, logs 1,000 ms after the header",
    profile: { ...BASE, logsRange: { blocks: 10, refusal: "-32600" }, logsDelayMs: 1_000 },
    blockTimeMs: BASE_BLOCK_MS,
  },
  {
    name: "200 ms and 40 million gas a block, -38015",
    profile: { ...BASE, simulation: { blockGas: true, requestGas: 50_000_000 } },
    blockTimeMs: BASE_BLOCK_MS,
    gasLimit: 40_000_000n,
    env: { CHAIN_31337_TX_GAS_CAP: String(GAS_CAP) },
  },
  {
    name: "finality by time",
    profile: { finality: "refused" },
    env: { CHAIN_31337_FINALITY_SECONDS: "3600" },
  },
  {
    name: "batches of 10, -32014 in each item",
    profile: { batchCap: { calls: 10, refusal: "each_-32014" } },
  },
  { name: "Infura-like -32602", profile: { logsRange: { blocks: 20, refusal: "-32602" } } },
  { name: "dRPC-like batches of 3", profile: { batchCap: { calls: 3, refusal: "http_500_drpc" } } },
];

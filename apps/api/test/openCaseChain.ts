import { openHistory } from "@dueday/api/chains/openHistory";
import { readIndexedBlock } from "@dueday/api/chains/readIndexedBlock";
import type { ServedChain } from "@dueday/api/chains/servedChain";
import { createCoveredHeads } from "@dueday/api/history/createCoveredHeads";
import { createIndexReader } from "@dueday/api/history/indexReader";
import type { Context } from "@dueday/api/operation/context";
import { createPageStore } from "@dueday/api/snapshots/createPageStore";
import { createSnapshotCache } from "@dueday/api/snapshots/snapshotCache";
import { clockBound } from "@dueday/chain/client/createBlockJudge";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createSharedReadiness } from "@dueday/chain/remit/createSharedReadiness";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { createCoverageReader } from "@dueday/chain/walk/createCoverageReader";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import type { TestDatabase } from "@dueday/test-support/createTestDatabase";
import { TEST_CHAIN_ID } from "./startTestApi";

export type CaseChainOptions = {
  database: TestDatabase;
  rpcUrls: readonly string[];
  contract: string;
  tokens: readonly string[];
  /** Seconds since 1970. */
  now: number;
};

/** Longest answer of a node that is read: enough for any of the demo chain. */
const MAX_RESPONSE_BYTES = 4 * 2 ** 20;

/**
 * The context of one request, with nothing kept of earlier ones and without the periodic check of the node: what the handler asks of
 * the node is all that it is asked. It logs nothing.
 */
export function openCaseChain({ database, rpcUrls, contract, tokens, now }: CaseChainOptions): Context {
  const config = parseConfig({
    CHAINS: String(TEST_CHAIN_ID),
    [`CHAIN_${TEST_CHAIN_ID}_RPC_URLS`]: rpcUrls.join(","),
    [`CHAIN_${TEST_CHAIN_ID}_CONTRACT`]: contract,
    [`CHAIN_${TEST_CHAIN_ID}_TOKENS`]: tokens.join(","),
    [`CHAIN_${TEST_CHAIN_ID}_MAX_CLOCK_AHEAD_SECONDS`]: "86400",
  });
  const [settings] = config.chains;
  if (settings === undefined) throw new Error("the settings have one chain");
  const clock = () => now * 1000;
  const client = createChainClient({
    chainId: TEST_CHAIN_ID,
    rpcUrls,
    requestTimeoutMs: 4_000,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    clockBound: clockBound(settings, clock),
  });
  const readIndexed = createIndexReader({
    database: database.database,
    scope: { chainId: TEST_CHAIN_ID, contract: settings.contract },
    clock,
    staleAfterMs: config.staleAfterMs,
    refusal: () => null,
    readBlock: (number) => readIndexedBlock(client, number),
  });
  const remitState = createRemitStateCache(settings.contract);
  const chain: ServedChain = {
    config: settings,
    client,
    monitor: {
      head: () => null,
      recentHead: () => null,
      see() {},
      hear() {},
      headAge: () => null,
      failure: () => null,
      check: () => ({ status: "ok" }),
      stop: async () => {},
    },
    covered: createCoveredHeads(clock),
    snapshots: createSnapshotCache({
      chainId: TEST_CHAIN_ID,
      staleAfterMs: config.staleAfterMs,
      clock,
      pages: createPageStore(async () => new Map()),
    }),
    requestProof() {},
    readIndexed,
    history: openHistory({ chain: settings, client, config, readIndexed, clock, headTimestamp: () => null }),
    lastHistory: null,
    remitState,
    sharedReadiness: createSharedReadiness(),
    coverage: createCoverageReader(remitState),
    inFlight: new Map(),
  };
  return {
    database: database.database,
    clock,
    logger: createLogger(config, { write() {} }),
    service: {
      version: "0.0.0",
      config,
      operations: [],
      chains: new Map([[TEST_CHAIN_ID, chain]]),
      defaultChain: chain,
      startedAt: 0,
      checks: () => ({
        database: { status: "ok" },
        queue: { status: "ok", workers: 1, depth: 0, active: 0, oldestSeconds: null },
        limiter: { status: "ok" },
      }),
      scanOf: () => null,
    },
    keys: null,
    webhooks: null,
    mail: null,
    checkOutputs: true,
    chain,
    requestId: crypto.randomUUID(),
    client: "",
    subject: null,
    minBlock: null,
    counters: {
      keyCreation: () => Promise.reject(new Error("no limits here")),
      webhookCreation: async () => {},
      webhookReplay: async () => {},
      mailConfirmation: async () => {},
      failedMailToken: async () => {},
      webhookChallenge: () => Promise.reject(new Error("no limits here")),
    },
    signal: new AbortController().signal,
  };
}

import type { ClockBound } from "@dueday/chain/client/createBlockJudge";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import type { Database } from "@dueday/db/connectDatabase";
import { createNewBlocksSize } from "@dueday/worker/indexer/catchUp";
import { createChainData } from "@dueday/worker/indexer/createChainData";
import { createFinalityReader } from "@dueday/worker/indexer/createFinalityReader";
import { createProgress } from "@dueday/worker/indexer/createProgress";
import type { IndexContext } from "@dueday/worker/indexer/indexContext";
import { createRangeSize } from "@dueday/worker/logs/createRangeSize";
import type { Address } from "viem";

export type IndexFixture = {
  database: Database;
  url: string;
  chainId: number;
  contract: Address;
  /** Age of a final block where the node does not know the tags. Default 0. */
  finalitySeconds?: number;
  requestTimeoutMs?: number;
  /** Longest answer that is read; default that of the client. */
  maxResponseBytes?: number;
  /** A dense block is read without that limit. Default false. */
  readsDenseBlocks?: boolean;
  /** How far a block's time may lie ahead; no bound by default. */
  clockBound?: ClockBound;
};

/** The context of an indexer over a real client. It logs nothing. */
export function indexContext(fixture: IndexFixture): IndexContext {
  const { database, url, chainId, contract, finalitySeconds = 0, requestTimeoutMs = 10_000 } = fixture;
  const { maxResponseBytes, clockBound } = fixture;
  const client = createChainClient({
    chainId,
    rpcUrls: [url],
    requestTimeoutMs,
    ...(maxResponseBytes !== undefined && { maxResponseBytes }),
    clockBound,
  });
  const unlimited = createChainClient({ chainId, rpcUrls: [url], requestTimeoutMs });
  const logger = createLogger(parseConfig({}), { write() {} });
  const clock = () => 0;
  return {
    chain: { chainId, contract, startBlock: 0n },
    chainData: createChainData(client, contract, fixture.readsDenseBlocks === true ? { denseRpc: unlimited.rpc } : {}),
    progress: createProgress({ logger, clock, terminal: null }),
    // Each pass asks the node: the blocks of a test become final within milliseconds.
    finality: createFinalityReader({ rpc: client.rpc, clock, finalitySeconds, everyMs: 0 }),
    logsSize: createRangeSize({ first: 500 }),
    newBlocks: createNewBlocksSize(),
    database,
    logger,
    clock,
    eventsRetentionDays: 30,
  };
}

const TABLES = [
  "sub_logs",
  "details_logs",
  "provider_details_logs",
  "caller_logs",
  "coordinates_logs",
  "subscription_terms",
  "indexed_tokens",
  "subscriptions",
  "memberships",
  "activity_counters",
  "provider_profiles",
  "receipts",
  "keeper_fees",
  "removal_refunds",
  "daily_money",
  "provider_days",
  "plan_days",
  "cohort_months",
  "remits",
];

/** Digests of a chain's rows, one for each table of `TABLES`, and its checkpoint. */
export async function indexDigest(database: Database, chainId: number): Promise<Record<string, string | null>> {
  const digest: Record<string, string | null> = {};
  for (const table of TABLES) {
    const [row] = await database.sql<{ digest: string | null }[]>`
      select md5(string_agg(row, '|' order by row)) as digest
      from (select (to_jsonb(t) - 'chain_id')::text as row from ${database.sql(table)} t where chain_id = ${chainId}) rows`;
    digest[table] = row?.digest ?? null;
  }
  const [checkpoint] = await database.sql<{ checkpoint: string }[]>`
    select number || ' ' || encode(hash, 'hex') as checkpoint from index_checkpoints where chain_id = ${chainId}`;
  return { ...digest, checkpoint: checkpoint?.checkpoint ?? null };
}

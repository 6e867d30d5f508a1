import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { SharedReadiness } from "@dueday/chain/remit/createSharedReadiness";
import type { RemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import type { CoverageReader } from "@dueday/chain/walk/createCoverageReader";
import type { ChainConfig } from "@dueday/config/chains";
import type { AsOf } from "@dueday/core/schema";
import type { CoveredHeads } from "../history/createCoveredHeads";
import type { HistorySource } from "../history/historySource";
import type { IndexReader } from "../history/indexReader";
import type { SnapshotCache } from "../snapshots/snapshotCache";
import type { RequestProof } from "./createProofRequests";
import type { ChainMonitor } from "./monitorChain";

/** One chain that this process serves. */
export type ServedChain = {
  config: ChainConfig;
  client: ChainClient;
  /** Result of the last check of the chain's node. */
  monitor: ChainMonitor;
  /** The head up to which the event index is complete. */
  covered: CoveredHeads;
  snapshots: SnapshotCache;
  requestProof: RequestProof;
  /** Queries of the event index, whatever HISTORY_SOURCE is: money views and entitlements need it. */
  readIndexed: IndexReader;
  /** Source of the chain's events. */
  history: HistorySource;
  /** The block of the last answer of `history`; null before the first. */
  lastHistory: AsOf | null;
  /** State of the contract as read for earlier plans: a later plan reads only what has changed. */
  remitState: RemitStateCache;
  /** Live readiness: callers for whom the plan of a block is the same share one plan. */
  sharedReadiness: SharedReadiness;
  /** Coverage of all subscriptions, from `remitState`. */
  coverage: CoverageReader;
  /** Live reads that are running, by key: equal requests share one. */
  inFlight: Map<string, Promise<unknown>>;
};

import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { Header } from "@dueday/chain/block/parseHeader";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { PlanAlarm } from "@dueday/chain/remit/planBacklog";
import type { ReadinessFacts } from "@dueday/chain/remit/presentReadiness";
import type { RemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import type { OpenBook } from "@dueday/chain/remit/state/openBook";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import type { Plan } from "@dueday/core/remit/plan";
import type { Database } from "@dueday/db/connectDatabase";
import type { CoveredHead } from "@dueday/db/eventIndex/coveredHead";
import type { Address } from "viem";
import type { ScanProgress } from "./createScanProgress";

/** A finished scan. `book` has the accounts on whose balances and allowances its result depends; null where they are not known. */
type FinishedScan = { block: ChainBlock; book: OpenBook | null };

/** The last scan of each kind in this process, which `createQuietWatch` may compare with a later block. Null before the first. */
type LatestScans = {
  /**
   * `isOpen`: something is due, so that the tokens decide what remit() does. `facts` have no payments. `whole`: the plan with all payments, until
   * the `scan_due` of the same block has taken it.
   */
  plan: (FinishedScan & { isOpen: boolean; facts: ReadinessFacts; whole: Plan | null }) | null;
  due: FinishedScan | null;
};

/** What every job of one chain works with. */
export type ChainContext = {
  chain: ChainConfig;
  client: ChainClient;
  database: Database;
  logger: Logger;
  /** The newest head that the process's follower has handled; null before the first. */
  head: () => Header | null;
  /** The head up to which the index is complete, even if its stored checkpoint is lower; null where nothing is known beyond the checkpoint. */
  covered: () => CoveredHead | null;
  /** The machine's clock in milliseconds since 1970: for `computedAt` and ages only. The day comes from the chain. */
  clock: () => number;
  /** The contract's state as it was read for plans: a later scan reads only what has changed. */
  stateCache: RemitStateCache;
  /** What the scans of this process found last. */
  scans: LatestScans;
  /** How far the running scan is. */
  progress: ScanProgress;
  /** Called when model and simulation disagree, or when a plan could not be checked by both. */
  onPlanAlarm(alarm: PlanAlarm): void;
  /** The caller that the served plan is made for. */
  planCaller: Address;
  /** Events are kept, and written for logs, up to this age. */
  eventsRetentionDays: number;
};

import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { PlanAlarm } from "@dueday/chain/remit/planBacklog";
import type { RemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import type { Database } from "@dueday/db/connectDatabase";
import type { Address } from "viem";

/** What every job of one chain works with. */
export type ChainContext = {
  chain: ChainConfig;
  client: ChainClient;
  database: Database;
  logger: Logger;
  /** Milliseconds since 1970 of the machine's clock: says when something was computed, never what day it is. */
  clock: () => number;
  /** What was read of the contract for plans: a later scan costs what has changed. */
  stateCache: RemitStateCache;
  /** Told of plans that only one of model and simulation stands for. */
  onPlanAlarm(alarm: PlanAlarm): void;
  /** Whom the served plan is made for. */
  planCaller: Address;
};

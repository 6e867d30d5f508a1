import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { type PermitPlanFacts, readPermitPlan } from "@dueday/chain/permits/readPermitPlan";
import { logPlanAlarm } from "@dueday/chain/remit/logPlanAlarm";
import type { Plan } from "@dueday/core/remit/plan";
import type { StoredPermit } from "@dueday/db/permits/storePermit";
import type { Address } from "viem";
import type { Context } from "../../operation/context";
import type { KeptPermits } from "./readKeptPermits";

/** What kept permits would change in a plan. Throws ServiceError UPSTREAM_* where the node fails. */
export function permitPlanOf(
  { chain, logger }: Context,
  client: ChainClient,
  { kept, ...planned }: { kept: KeptPermits; from: Address; block: ChainBlock; plan: Plan },
): Promise<PermitPlanFacts<StoredPermit> | null> {
  return readPermitPlan(client, {
    ...planned,
    contract: chain.config.contract,
    permitsOf: kept.of,
    onAlarm: (alarm) => logPlanAlarm(logger, alarm),
  });
}

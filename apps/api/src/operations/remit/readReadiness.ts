import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { logPlanAlarm } from "@dueday/chain/remit/logPlanAlarm";
import { readRemitReadiness } from "@dueday/chain/remit/readRemitReadiness";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Address } from "viem";
import type { Context } from "../../operation/context";

/** Readiness for one caller, live. The model is asked only where the simulation leaves something open: a request waits for it. */
export function readReadiness(
  { chain, logger }: Context,
  client: ChainClient,
  { from, block }: { from: Address; block: ChainBlock },
): Promise<RemitReadiness> {
  return readRemitReadiness(client, {
    contract: chain.config.contract,
    from,
    block,
    stateCache: chain.remitState,
    model: "where_needed",
    onAlarm: (alarm) => logPlanAlarm(logger, alarm),
  });
}

import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { readRemitReadiness } from "@dueday/chain/remit/readRemitReadiness";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Address } from "viem";
import { ignoreAlarm, type LocalChain } from "./localChain";

/** Readiness for one caller. The model runs only where the simulation leaves a question open, because somebody waits. */
export function readPlanReadiness(
  { contract, stateCache }: LocalChain,
  client: ChainClient,
  { from, block }: { from: Address; block: ChainBlock },
): Promise<RemitReadiness> {
  return readRemitReadiness(client, { contract, from, block, stateCache, model: "where_needed", onAlarm: ignoreAlarm });
}

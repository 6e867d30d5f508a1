import { forecastRemitsInSlices } from "@dueday/core/remit/forecastRemits";
import type { RemitState } from "@dueday/core/remit/state";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { readTokenInfos } from "../reads/readTokenInfos";
import type { RemitStateCache } from "./state/createRemitStateCache";

export type ReadRemitForecastParameters = {
  contract: Address;
  /** Who would call remit(). */
  from: Address;
  block: ChainBlock;
  stateCache: RemitStateCache;
  daysAhead: number;
};

/** The model's forecast from the state after `block`. Throws ServiceError UPSTREAM_* where the state can't be read. */
export async function readRemitForecast(client: ChainClient, parameters: ReadRemitForecastParameters) {
  const { contract, from, block, stateCache, daysAhead } = parameters;
  const state: RemitState = await stateCache.read(client, { block, caller: from, daysAhead });
  const tokens = await readTokenInfos(client, { contract, tokens: [...state.tokens.keys()], block });
  return { forecast: await forecastRemitsInSlices(state, daysAhead), state, tokens };
}

import { type Forecast, forecastFromPlan, type PlanAhead, planDaysAhead } from "@dueday/core/remit/forecastFromPlan";
import type { Plan } from "@dueday/core/remit/plan";
import type { RemitState } from "@dueday/core/remit/state";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { readTokenInfos, type TokenInfos } from "../reads/readTokenInfos";
import { type PlanAlarm, planBacklog } from "./planBacklog";
import { simulateDaysAhead } from "./simulateDaysAhead";
import type { RemitStateCache } from "./state/createRemitStateCache";

export type ReadRemitForecastParameters = {
  contract: Address;
  /** Who would call remit(). */
  from: Address;
  block: ChainBlock;
  stateCache: RemitStateCache;
  daysAhead: number;
  onAlarm(alarm: PlanAlarm): void;
  /** The plan of this block and caller with its details, where it was made already; null (the default) where it has to be made. */
  plan?: Plan | null;
};

export type RemitForecast = {
  forecast: Forecast;
  state: RemitState;
  /** Every token that the forecast names. */
  tokens: TokenInfos;
};

/** The forecast from the state after `block`: the load of each day of `readPlanAhead`. */
export async function readRemitForecast(
  client: ChainClient,
  parameters: ReadRemitForecastParameters,
): Promise<RemitForecast> {
  const { contract, block, daysAhead } = parameters;
  const { state, ...ahead } = await readPlanAhead(client, parameters);
  const forecast = forecastFromPlan(state, daysAhead, ahead);
  const received = [...forecast.days, forecast.backlog].flatMap(({ callerFees }) =>
    callerFees.map(({ token }) => token),
  );
  const tokens = await readTokenInfos(client, { contract, tokens: [...state.tokens.keys(), ...received], block });
  return { forecast, state, tokens };
}

/**
 * What remit() will do from the state after `block` on. It begins with the plan that readiness has of this block, so both name the same
 * cause where remit() is stopped. Where the model does not show what a token does, the days ahead are simulated too. Throws ServiceError UPSTREAM_*
 * where the state can't be read.
 */
export async function readPlanAhead(
  client: ChainClient,
  parameters: ReadRemitForecastParameters,
): Promise<PlanAhead & { state: RemitState }> {
  const { from, block, stateCache, daysAhead } = parameters;
  let known: RemitState | null = null;
  const readState = async () => (known ??= await stateCache.read(client, { block, caller: from, daysAhead }));
  // This state has every list that the plan needs, and more, so it is not read again.
  const sameState: RemitStateCache = {
    ...stateCache,
    read: readState,
    forget() {
      known = null;
      stateCache.forget();
    },
  };
  const { maxRemits } = await readState();
  const plan =
    parameters.plan ??
    (await planBacklog(client, { ...parameters, maxRemits, stateCache: sameState, needsModel: () => true }));
  const state = await readState();
  const ahead =
    (plan.details === null ? await simulateDaysAhead(client, { ...parameters, maxRemits }, { state, plan }) : null) ??
    (await planDaysAhead(state, daysAhead, plan));
  return { ...ahead, state };
}

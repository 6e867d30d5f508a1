import { saturate } from "@dueday/core/amounts/saturate";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { type Plan, stopOf } from "@dueday/core/remit/plan";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectOpenDays } from "../reads/expectOpenDays";
import { cannotBeRead, expectValue, protocolRead } from "../reads/protocolRead";
import { readMany } from "../reads/readMany";
import { readTokenInfos, type TokenInfos } from "../reads/readTokenInfos";
import { type PlanAlarm, planBacklog } from "./planBacklog";
import { presentReadiness, type ReadinessFacts } from "./presentReadiness";
import { readRemitCosts } from "./readRemitCosts";
import { type PlanSimulation, simulatePlan } from "./simulatePlan";
import type { BulkReads } from "./state/bulkReads";
import type { RemitStateCache } from "./state/createRemitStateCache";
import { type DueLists, dueListsIn, readDueLists } from "./state/readDueLists";
import { sumPayments } from "./sumPayments";

export type ReadRemitReadinessParameters = {
  contract: Address;
  /** Who would call remit(). See `SimulatePlanParameters`. */
  from: Address;
  /** From `pinBlock`: a simulation on another block may see the next day. */
  block: ChainBlock;
  /** The cache of this contract: state that it holds is not read again. */
  stateCache: RemitStateCache;
  /** `always`: the model checks every plan. `where_needed` (default): its state is read only where the simulation leaves something open. */
  model?: "always" | "where_needed";
  onAlarm(alarm: PlanAlarm): void;
  /** Transactions of the last plan: a long backlog is then simulated in one request. */
  expectedTransactions?: number;
};

/**
 * What calling remit() from `from` would do on the state after `block`: the plan, what it earns and costs, what blocks it and
 * what it would miss. Two round trips, a third for tokens that are new to the client, and those of the state cache where the model
 * is run. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function readRemitReadiness(
  client: ChainClient,
  parameters: ReadRemitReadinessParameters,
): Promise<RemitReadiness> {
  return presentReadiness(await readReadinessFacts(client, parameters));
}

/** What `readRemitReadiness` presents: for a later `proveReadiness`. */
export async function readReadinessFacts(
  client: ChainClient,
  parameters: ReadRemitReadinessParameters,
): Promise<ReadinessFacts> {
  const { contract, block, model = "where_needed" } = parameters;
  const protocol = await readOpenDays(client, parameters);
  const { openDays, maxRemits } = protocol;
  const lists =
    model === "always"
      ? readListsOfState(client, parameters, openDays)
      : readDueLists(client, { contract, days: openDays, block });
  let parties: ReadonlySet<string> | null = null;
  const planned = planBacklog(client, {
    ...parameters,
    maxRemits,
    needsModel: async (simulation) => {
      parties = simulation.parties;
      return model === "always" || leavesOpen(simulation, await lists, openDays);
    },
  });
  const [plan, listsOf, costs] = await Promise.all([planned, lists, readRemitCosts(client, parameters)]);
  const tokens = await readTokensOfPlan(client, parameters, plan);
  const { details } = plan;
  const byToken = details && sumPayments(details.payments, { state: details.state, tokens }).byToken;
  return { ...protocol, plan, parties, byToken, listsOf, ...costs, tokens };
}

export type ReadSimulatedReadinessParameters = Pick<ReadRemitReadinessParameters, "contract" | "from" | "block"> & {
  /** For due lists that are too long for the contract's views. */
  bulk: BulkReads;
};

/**
 * The beginning of a large backlog as a simulation shows it: in seconds, where the whole plan takes a minute or more. The plan is not complete, and
 * ends with `limit`. Null where the simulation shows the whole plan, or nothing of it.
 */
export async function readSimulatedReadiness(
  client: ChainClient,
  parameters: ReadSimulatedReadinessParameters,
): Promise<ReadinessFacts | null> {
  const { contract, block, bulk } = parameters;
  const protocol = await readOpenDays(client, parameters);
  const { openDays: days, maxRemits } = protocol;
  const simulation = await simulatePlan(client, { ...parameters, maxRemits }).catch((error: unknown) => {
    if (!cannotBeRead(error)) throw error;
    return null;
  });
  if (simulation === null || simulation.plan.complete || simulation.plan.transactions.length === 0) return null;
  const { plan } = simulation;
  const [listsOf, costs, tokens] = await Promise.all([
    readDueLists(client, { contract, days, block, bulk }),
    readRemitCosts(client, parameters),
    readTokensOfPlan(client, parameters, plan),
  ]);
  return { ...protocol, plan, parties: null, byToken: null, listsOf, ...costs, tokens };
}

type Source = Pick<ReadRemitReadinessParameters, "contract" | "from" | "block">;

async function readOpenDays(client: ChainClient, { contract, from, block }: Source) {
  const [nextDay, limit] = await readMany(
    client,
    [protocolRead(contract, "nextUncheckedDay", []), protocolRead(contract, "maxRemits", [])],
    block,
  );
  const nextUncheckedDay = expectValue(nextDay, "nextUncheckedDay");
  const currentDay = dayNumber(block.timestamp);
  const openDays = expectOpenDays(nextUncheckedDay, currentDay);
  return { from, currentDay, nextUncheckedDay, maxRemits: saturate(expectValue(limit, "maxRemits")), openDays };
}

function readTokensOfPlan(client: ChainClient, { contract, block }: Source, plan: Plan): Promise<TokenInfos> {
  const tokens = plan.transactions.flatMap((transaction) => transaction.callerFees.map((fee) => fee.token));
  const stop = stopOf(plan);
  if (stop !== undefined) tokens.push(stop.token);
  // A token in which all payments fail may pay no fee.
  tokens.push(...(plan.details?.state.tokens.keys() ?? []));
  return readTokenInfos(client, { contract, tokens, block });
}

/** The lists of the state that the model needs anyway; those of the views where the node can't give that state. */
function readListsOfState(
  client: ChainClient,
  { contract, from, block, stateCache }: ReadRemitReadinessParameters,
  days: readonly number[],
): Promise<DueLists> {
  return stateCache.read(client, { block, caller: from }).then(dueListsIn, (error: unknown) => {
    if (!cannotBeRead(error)) throw error;
    return readDueLists(client, { contract, days, block });
  });
}

/**
 * Whether a complete simulation leaves a question that only the model answers: what blocks it, why it ends before a day with due
 * ids, or why no payment was handled for a due id of a closed day (cancelled, paused, empty, settled before, or missed).
 */
function leavesOpen({ plan, handled }: PlanSimulation, listsOf: DueLists, openDays: readonly number[]): boolean {
  if (plan.end === "blocked") return true;
  const lastClosed = plan.transactions.flatMap(({ closesDays }) => closesDays).at(-1) ?? -1;
  if (openDays.some((day) => day > lastClosed && listsOf(day).some(({ ids }) => ids.length > 0))) return true;
  const settled = new Set(handled.map(({ id, dayNumber }) => `${dayNumber}:${id}`));
  const closed = plan.transactions.flatMap(({ closesDays }) => closesDays);
  return closed.some((day) => listsOf(day).some(({ ids }) => ids.some((id) => !settled.has(`${day}:${id}`))));
}

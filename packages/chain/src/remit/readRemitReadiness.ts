import { saturate } from "@dueday/core/amounts/saturate";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { stopOf } from "@dueday/core/remit/plan";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { estimateRollupFees } from "../fees/estimateRollupFees";
import { readGasPrice } from "../fees/readGasPrice";
import { transactionGasLimit } from "../fees/transactionGasLimit";
import { expectOpenDays } from "../reads/expectOpenDays";
import { cannotBeRead, expectValue, protocolRead } from "../reads/protocolRead";
import { readMany } from "../reads/readMany";
import { readTokenInfos } from "../reads/readTokenInfos";
import { type PlanAlarm, planBacklog } from "./planBacklog";
import { presentReadiness, type ReadinessFacts } from "./presentReadiness";
import type { PlanSimulation } from "./simulatePlan";
import type { RemitStateCache } from "./state/createRemitStateCache";
import { type DueLists, dueListsIn, readDueLists } from "./state/readDueLists";

export type ReadRemitReadinessParameters = {
  contract: Address;
  /** Who would call remit(); it changes the gas only. */
  from: Address;
  /** From `pinBlock`: a simulation on another block may see the next day. */
  block: ChainBlock;
  /** Of the contract: what it holds is not read again. */
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
  const { contract, from, block, model = "where_needed" } = parameters;
  const [nextDay, limit] = await readMany(
    client,
    [protocolRead(contract, "nextUncheckedDay", []), protocolRead(contract, "maxRemits", [])],
    block,
  );
  const nextUncheckedDay = expectValue(nextDay, "nextUncheckedDay");
  const maxRemits = saturate(expectValue(limit, "maxRemits"));
  const currentDay = dayNumber(block.timestamp);
  const openDays = expectOpenDays(nextUncheckedDay, currentDay);
  const gasCap = transactionGasLimit(client, block);
  const lists =
    model === "always"
      ? readListsOfState(client, parameters, openDays)
      : readDueLists(client, { contract, days: openDays, block });
  let parties: ReadonlySet<string> | null = null;
  const [plan, listsOf, price, rollupFees] = await Promise.all([
    planBacklog(client, {
      ...parameters,
      maxRemits,
      needsModel: async (simulation) => {
        parties = simulation.parties;
        return model === "always" || leavesOpen(simulation, await lists, openDays);
      },
    }),
    lists,
    readGasPrice(client, { block }),
    estimateRollupFees(client, { to: contract, data: encodeRemit(), gas: gasCap, block }),
  ]);
  const tokens = plan.transactions.flatMap((transaction) => transaction.callerFees.map((fee) => fee.token));
  const stop = stopOf(plan);
  if (stop !== undefined) tokens.push(stop.token);
  const infos = await readTokenInfos(client, { contract, tokens, block });
  return {
    from,
    currentDay,
    nextUncheckedDay,
    maxRemits,
    openDays,
    plan,
    parties,
    listsOf,
    gasPrice: price.baseFeePerGas + price.maxPriorityFeePerGas,
    rollupFees,
    gasCap,
    tokens: infos,
  };
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

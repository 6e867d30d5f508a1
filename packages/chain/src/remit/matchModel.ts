import { lastClosedDay } from "@dueday/core/remit/forecastFromPlan";
import type { Plan, PlanDetails } from "@dueday/core/remit/plan";
import { type ModelledPlan, planRemitInSlices, traceRemits } from "@dueday/core/remit/planRemit";
import { dueListsOn, type RemitState } from "@dueday/core/remit/state";
import { outOfGasRevert } from "@dueday/core/reverts/outOfGasRevert";
import { tokenRevert } from "@dueday/core/reverts/tokenRevert";
import type { Address, Hex } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { findRefusedTransfer } from "./findRefusedTransfer";
import { callGasBound, type PlanSimulation, type SimulatePlanParameters } from "./simulatePlan";

/** How many transactions of a model have their gas metered. */
export type ModelOptions = { meteredTransactions?: number };

/**
 * The simulated plan, with its end judged by the state. A revert with 6 is the protocol's only where nothing is open any more, and
 * a token's own reason where the model still has something to settle. If the gas ran out although the call had more than its
 * payments need, a token used it up: the plan is blocked, not cut by a limit of the node.
 */
export function judgeEnd({ plan, exhausted }: PlanSimulation, modelled: ModelledPlan): Plan {
  const { transactions } = plan;
  const next = modelled.transactions[transactions.length];
  const { state } = modelled.details;
  const lastClosed = lastClosedDay(transactions) ?? state.nextUncheckedDay - 1;
  const isOpen = next !== undefined || modelled.end === "blocked";
  if (plan.end === "caught_up" && isOpen && openTokens(state, lastClosed).length > 0) {
    return { ...plan, end: "blocked", revert: tokenRevert("6") };
  }
  if (exhausted !== null && next !== undefined && exhausted >= callGasBound(next.payments)) {
    return { ...plan, complete: true, end: "blocked", revert: outOfGasRevert };
  }
  return plan;
}

/** Tokens of the first open day after `lastClosed` that holds a subscriber, each with the id that remit() meets first. */
export function openTokens(state: RemitState, lastClosed: number): { token: Address; id: Hex }[] {
  for (let day = lastClosed + 1; day <= state.today; day++) {
    const met = new Map<Address, Hex>();
    for (const id of dueListsOn(state, day).flatMap((list) => list.toReversed())) {
      const subscription = state.subscriptions.get(id);
      if (subscription === undefined || subscription.subscribers.length === 0) continue;
      if (!met.has(subscription.token)) met.set(subscription.token, id);
    }
    if (met.size > 0) return [...met].map(([token, id]) => ({ token, id }));
  }
  return [];
}

/** The model's details, in which `blockedBy` has the revert of the simulation. */
export function detailsOf({ revert }: Plan, { details }: ModelledPlan): PlanDetails {
  const { blockedBy } = details;
  return blockedBy === undefined || revert === undefined
    ? details
    : { ...details, blockedBy: { ...blockedBy, revert } };
}

/**
 * The model's plan. Where a token blocks the chain by refusing an account's transfer, which no state shows, that account is
 * found and added to the state.
 */
export async function modelLike(
  client: ChainClient,
  parameters: SimulatePlanParameters,
  simulated: Plan,
  modelled: ModelledPlan,
  options: ModelOptions = {},
): Promise<ModelledPlan> {
  const { state } = modelled.details;
  const count = simulated.transactions.length;
  const agrees = modelled.transactions.length <= count && modelled.revert?.code === simulated.revert?.code;
  if (simulated.end !== "blocked" || agrees) return modelled;
  const { contract, from, block } = parameters;
  const events = traceRemits(state, { maxTransactions: count + 1 })[count] ?? [];
  const before = simulated.transactions.map(({ gas }) => gas?.used ?? block.gasLimit);
  const refused = await findRefusedTransfer(client, { contract, from, block, before, events });
  const token = refused && state.tokens.get(refused.token);
  if (!token) return modelled;
  const blocked = new Map([[refused.account, simulated.revert?.code ?? refused.reason]]);
  const tokens = new Map(state.tokens).set(refused.token, { ...token, blocked });
  return planRemitInSlices({ ...state, tokens }, options);
}

import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { Plan } from "@dueday/core/remit/plan";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import type { ReadinessFacts } from "./presentReadiness";
import { readRemitCosts } from "./readRemitCosts";
import { simulatePlan } from "./simulatePlan";

export type ProveReadinessParameters = {
  contract: Address;
  /** A later block than that of `facts`, with no event of the contract in between. */
  block: ChainBlock;
  facts: ReadinessFacts;
};

/**
 * Simulates a whole plan at a later block, to find out whether it still holds there. That costs a small part of making it again, because
 * neither due lists nor subscriber sets are read again.
 *
 * @returns the facts with the fees of that block; null where the plan has changed, or was not simulated to its end: then it has to be
 * made again
 * @throws ServiceError UPSTREAM_* where the node fails
 */
export async function proveReadiness(
  client: ChainClient,
  { contract, block, facts }: ProveReadinessParameters,
): Promise<ReadinessFacts | null> {
  const { from, plan, maxRemits, currentDay } = facts;
  if (plan.source !== "simulated" || !plan.complete || dayNumber(block.timestamp) !== currentDay) return null;
  const expectedTransactions = plan.transactions.length;
  const [simulation, costs] = await Promise.all([
    simulatePlan(client, { contract, from, block, maxRemits, expectedTransactions }),
    readRemitCosts(client, { contract, block }),
  ]);
  return outcomeOf(simulation.plan) === outcomeOf(plan) ? { ...facts, ...costs } : null;
}

/** Everything that a simulation shows of a plan. */
function outcomeOf({ source, complete, end, revert, transactions }: Plan): string {
  return JSON.stringify({ source, complete, end, revert, transactions }, (_, value) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}

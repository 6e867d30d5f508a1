import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import type { Plan } from "@dueday/core/remit/plan";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { estimateRollupFees } from "../fees/estimateRollupFees";
import { readGasPrice } from "../fees/readGasPrice";
import { transactionGasLimit } from "../fees/transactionGasLimit";
import type { ReadinessFacts } from "./presentReadiness";
import { simulatePlan } from "./simulatePlan";

export type ProveReadinessParameters = {
  contract: Address;
  /** A later block than that of `facts`, with no event of the contract in between. */
  block: ChainBlock;
  facts: ReadinessFacts;
};

/**
 * Simulates a whole plan at a later block, to find out whether it still holds there. That costs a small part of making it again, because
 * the due lists and sets need not be read: they change only with events.
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
  const gasCap = transactionGasLimit(client, block);
  const expectedTransactions = plan.transactions.length;
  const [simulation, price, rollupFees] = await Promise.all([
    simulatePlan(client, { contract, from, block, maxRemits, expectedTransactions }),
    readGasPrice(client, { block }),
    estimateRollupFees(client, { to: contract, data: encodeRemit(), gas: gasCap, block }),
  ]);
  if (outcomeOf(simulation.plan) !== outcomeOf(plan)) return null;
  return { ...facts, gasPrice: price.baseFeePerGas + price.maxPriorityFeePerGas, rollupFees, gasCap };
}

/** Everything that a simulation shows of a plan. */
function outcomeOf({ source, complete, end, revert, transactions }: Plan): string {
  return JSON.stringify({ source, complete, end, revert, transactions }, (_, value) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}

import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { estimateFees } from "@dueday/chain/fees/estimateFees";
import type { BatchCall } from "@dueday/chain/simulate/simulateBatch";
import type { Issue, Warning } from "@dueday/core/errors";
import type { Refusal } from "@dueday/core/reverts/refusal";
import { type Address, getAddress, numberToHex } from "viem";
import { answerLive } from "../../chains/answerLive";
import type { Context } from "../../operation/context";
import { budgetGas } from "./budgetGas";
import { instructions } from "./instructions";
import type { WalletCalls } from "./prepareAnswer";
import { presentSimulation } from "./presentSimulation";
import { notReady, simulationFailed, simulationRefusal } from "./refusalErrors";
import { simulateFirstThatRuns } from "./simulateFirstThatRuns";

/** One transaction of a plan, and what it does in a word for people: `approve`, `subscribe`. */
export type PlannedCall = BatchCall & { title: string };

/** What an operation found out, and the transactions that it would take. */
export type PreparePlan<F extends object> = {
  /** The operation's own part of `preflight`. */
  facts: F;
  /** Rules that say no, in the order in which the contract asks. With any, nothing is simulated. */
  refusals: readonly Refusal[];
  warnings: readonly Warning[];
  /** Ways to the same end, the shortest first: the next is tried where a call before the last one fails. */
  ways: readonly (readonly PlannedCall[])[];
  /** What to do once the transactions are confirmed. */
  afterwards?: string;
};

export type PrepareInput = { from: string; readinessOnly?: boolean; simulateFromAddress?: string };

export type Prepare<F extends object> = {
  operation: string;
  input: PrepareInput;
  /** Reads and judges, on the block of the answer. */
  plan: (client: ChainClient, block: ChainBlock) => Promise<PreparePlan<F>>;
};

/**
 * The answer of a prepare operation: rules first, then a simulation of all transactions in sequence, then what they may cost.
 * Nothing here holds a key, signs or sends.
 *
 * @throws ServiceError NOT_READY where a rule says no, SIMULATION_FAILED where only the chain does, UPSTREAM_*.
 */
export async function prepareTransactions<F extends object>(context: Context, prepare: Prepare<F>) {
  const { operation, input } = prepare;
  const { contract, chainId, name } = context.chain.config;
  const from = getAddress(input.from);
  const readinessOnly = input.readinessOnly === true;
  const { asOf, ...answer } = await answerLive(context, async (client, block) => {
    const [plan, fees] = await Promise.all([prepare.plan(client, block), estimateFees(client, { block })]);
    if (plan.refusals.length > 0) {
      if (!readinessOnly) throw notReady(plan.refusals);
      return judgement(operation, plan, plan.refusals);
    }
    const broadcaster = getAddress(input.simulateFromAddress ?? input.from);
    const { calls, simulation, gasUsed, l1Fees, warnings } = await simulateFirstThatRuns(client, {
      ways: plan.ways,
      from,
      broadcaster,
      block,
    });
    const refusal = simulationRefusal(calls, simulation);
    if (refusal !== null) {
      if (!readinessOnly) throw simulationFailed(refusal);
      return judgement(operation, plan, [refusal]);
    }
    if (readinessOnly) return judgement(operation, plan, []);
    const { gasEstimates, gasSummary } = budgetGas({ gasUsed, l1Fees, fees, block });
    const unsigned = calls.map(({ to, data }) => ({ to, data, value: "0", chainId, from }));
    return {
      instructions: instructions({ chainId, chainName: name, from, calls, afterwards: plan.afterwards }),
      warnings: [...plan.warnings, ...warnings],
      unsignedTransactions: unsigned,
      ...signing(chainId, from, calls),
      simulation: await presentSimulation(client, {
        method: simulation.method,
        calls: simulation.results,
        contract,
        block,
      }),
      gasEstimates,
      gasSummary,
      preflight: preflightOf(plan, []),
    };
  });
  return { requestId: context.requestId, ...answer, asOf };
}

function judgement<F extends object>(operation: string, plan: PreparePlan<F>, refusals: readonly Refusal[]) {
  const details = preflightOf(plan, refusals);
  const { ready, issues, warnings } = details;
  return { readinessOnly: true as const, operation, ready, issues, warnings, instructions: [], details };
}

/** The operation's facts between the judgement on them. */
export function preflightOf<F extends object>(
  { facts, warnings }: Pick<PreparePlan<F>, "facts" | "warnings">,
  refusals: readonly Refusal[],
): { ready: boolean } & F & { issues: Issue[]; warnings: Warning[] } {
  const issues = refusals.map(({ issue }) => issue);
  return { ready: issues.length === 0, ...facts, issues, warnings: [...warnings] };
}

function signing(
  chainId: number,
  from: Address,
  calls: readonly PlannedCall[],
): { signingMode: "raw" } | { signingMode: "eip5792"; eip5792: WalletCalls } {
  if (calls.length === 1) return { signingMode: "raw" };
  return {
    signingMode: "eip5792",
    eip5792: {
      version: "2.0.0",
      chainId: numberToHex(chainId),
      from,
      atomicRequired: false,
      calls: calls.map(({ to, data }) => ({ to, data, value: "0x0" })),
    },
  };
}

import type { Issue, Warning } from "@dueday/core/errors";
import type { Refusal } from "@dueday/core/refusal";
import type { WalletCalls } from "@dueday/core/schemas/prepareAnswer";
import { type Address, getAddress, numberToHex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { estimateFees, SIGNED_BY_HAND_SECONDS } from "../fees/estimateFees";
import { transactionGasLimit } from "../fees/transactionGasLimit";
import { readNativeBalance } from "../reads/readNativeBalance";
import type { CoverageReader } from "../walk/createCoverageReader";
import { confirmUnchecked } from "./confirmUnchecked";
import { gasBudget } from "./gasBudget";
import { instructions, readinessInstructions } from "./instructions";
import type { Prefetched, SubscriptionReference } from "./namedSubscription";
import { type PlannedCall, type PreparePlan, preflightOf } from "./preparePlan";
import { presentSimulation } from "./presentSimulation";
import { notReady, simulationFailed, simulationRefusal } from "./refusalErrors";
import { requirePaymaster } from "./requirePaymaster";
import { simulateFirstThatRuns } from "./simulateFirstThatRuns";
import { warnAboutGas } from "./warnAboutGas";

/** What every prepare is asked: the wallet that signs, and how the answer is computed. */
export type PrepareInput = {
  from: string;
  /** Only check: no transactions, no gas estimates. */
  readinessOnly?: boolean | undefined;
  /** The account that would broadcast: gas is estimated for it too. Default: `from`. */
  simulateFromAddress?: string | undefined;
  /** https URL of a paymaster (ERC-7677) that pays the network's fee where the wallet has the capability. */
  paymasterUrl?: string | undefined;
};

/** The chain that transactions are prepared for. */
export type PreparedChain = { contract: Address; chainId: number; name: string };

/** The context that a prepare is computed in; every prepare operation takes it. */
export type PrepareScope = {
  /** Name of the operation, for the answer. */
  operation: string;
  chain: PreparedChain;
  coverage: CoverageReader;
  block: ChainBlock;
  prefetched: Prefetched;
};

export type PrepareParameters = PrepareScope & PrepareInput;
export type PrepareOnSubscription = PrepareParameters & SubscriptionReference;

/** The answer as clients read it: what signing does comes first. */
export function identified<A extends { summary: string }>(requestId: string, answer: A): { requestId: string } & A {
  const first = { summary: answer.summary, requestId };
  return { ...first, ...answer };
}

/** `plan` is what the operation reads and checks at `block`; fees and the balance for gas are read at the same time. */
type Planned<F extends object> = Omit<PrepareParameters, "coverage" | "prefetched"> & { plan: Promise<PreparePlan<F>> };

/**
 * The answer of a prepare operation: rules first, then a simulation of all transactions in sequence, then their gas and cost.
 * Nothing here holds a key, signs or sends.
 *
 * @throws ServiceError VALIDATION_ERROR for a paymaster that is not an https URL, NOT_READY where a rule forbids it, SIMULATION_FAILED where
 * only the simulation fails, UPSTREAM_*.
 */
export async function prepareTransactions<F extends object>(client: ChainClient, parameters: Planned<F>) {
  const { operation, chain, block, readinessOnly = false, paymasterUrl } = parameters;
  const { contract, chainId, name } = chain;
  const from = getAddress(parameters.from);
  const broadcaster = getAddress(parameters.simulateFromAddress ?? from);
  const [plan, fees, balance] = await Promise.all([
    parameters.plan,
    estimateFees(client, { block, waitSeconds: SIGNED_BY_HAND_SECONDS }),
    readNativeBalance(client, { account: broadcaster, block }),
  ]);
  // Not before the plan, which was begun already: its failure would be left unhandled.
  requirePaymaster(paymasterUrl);
  if (plan.refusals.length > 0) {
    if (!readinessOnly) throw notReady(plan.refusals);
    return readinessAnswer(operation, plan, plan.refusals);
  }
  const simulated = await simulateFirstThatRuns(client, { ways: plan.ways, from, broadcaster, block });
  const { calls, simulation, gasUsed, rollupFees } = simulated;
  const isProtocols = await confirmUnchecked(client, { calls, simulation, block });
  const refusal = simulationRefusal(calls, simulation, isProtocols);
  if (refusal !== null) {
    if (!readinessOnly) throw simulationFailed(refusal);
    return readinessAnswer(operation, plan, [refusal]);
  }
  const budget = gasBudget({ gasUsed, rollupFees, fees, gasCap: transactionGasLimit(client, block) });
  const costWei = BigInt(budget.gasSummary.totalEstimatedCostWei);
  const noGas = paymasterUrl === undefined ? warnAboutGas(broadcaster, balance, costWei) : [];
  if (readinessOnly) return readinessAnswer(operation, { ...plan, warnings: [...plan.warnings, ...noGas] }, []);
  return {
    summary: plan.summary,
    instructions: instructions({ chainId, chainName: name, from, calls, paymasterUrl, afterwards: plan.afterwards }),
    warnings: [...plan.warnings, ...simulated.warnings, ...noGas],
    unsignedTransactions: calls.map(({ to, data }) => ({ to, data, value: "0", chainId, from })),
    ...signing({ chainId, from, calls, paymasterUrl }),
    simulation: await presentSimulation(client, {
      method: simulation.method,
      calls: simulation.results,
      contract,
      block,
    }),
    ...budget,
    preflight: preflightOf(plan, []),
  };
}

function readinessAnswer<F extends object>(operation: string, plan: PreparePlan<F>, refusals: readonly Refusal[]) {
  return checkedOnly(operation, plan.summary, preflightOf(plan, refusals));
}

/** The answer to a request for readiness alone. */
export function checkedOnly<F extends { ready: boolean; issues: Issue[]; warnings: Warning[] }>(
  operation: string,
  summary: string,
  details: F,
) {
  const { ready, issues, warnings } = details;
  return {
    summary,
    readinessOnly: true as const,
    operation,
    ready,
    issues,
    warnings,
    details,
    instructions: readinessInstructions(details),
  };
}

type SigningParameters = {
  chainId: number;
  from: Address;
  calls: readonly Pick<PlannedCall, "to" | "data">[];
  paymasterUrl: string | undefined;
};

/** How a wallet takes the calls: several, or those of a paymaster, as one batch. */
export function signing({
  chainId,
  from,
  calls,
  paymasterUrl,
}: SigningParameters): { signingMode: "raw" } | { signingMode: "eip5792"; eip5792: WalletCalls } {
  if (calls.length === 1 && paymasterUrl === undefined) return { signingMode: "raw" };
  return {
    signingMode: "eip5792",
    eip5792: {
      version: "2.0.0",
      chainId: numberToHex(chainId),
      from,
      atomicRequired: false,
      calls: calls.map(({ to, data }) => ({ to, data, value: "0x0" })),
      ...(paymasterUrl !== undefined && { capabilities: { paymasterService: { url: paymasterUrl } } }),
    },
  };
}

import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import type { Warning } from "@dueday/core/errors";
import { ServiceError } from "@dueday/core/errors";
import { reasonRevert } from "@dueday/core/reverts/reasonRevert";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { getAddress } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { estimateFees, SIGNED_BY_HAND_SECONDS } from "../fees/estimateFees";
import { transactionGasLimit } from "../fees/transactionGasLimit";
import { readNativeBalance } from "../reads/readNativeBalance";
import type { SimulatedCall } from "../simulate/parseSimulation";
import { gasBudget } from "./gasBudget";
import { instructions } from "./instructions";
import { checkedOnly, type PrepareParameters, signing } from "./prepareTransactions";
import { presentSimulation } from "./presentSimulation";
import { simulationFailed, simulationRefusal } from "./refusalErrors";
import { requirePaymaster } from "./requirePaymaster";
import { simulateFirstThatRuns } from "./simulateFirstThatRuns";
import { summaries } from "./summaries";
import { warnAboutGas } from "./warnAboutGas";

export type PrepareRemitParameters = Omit<PrepareParameters, "coverage" | "prefetched"> & {
  /** Remit readiness of `from` at `block`. */
  preflight: RemitReadiness;
  /** The transaction as `from` sends it at `block`, with all the gas that it may have, where that was simulated already. */
  next?: SimulatedCall | null;
  /** Further warnings for an answer with a transaction. */
  warnings?: readonly Warning[];
};

/**
 * One unsigned remit(), simulated at `block`, with the gas budget of the whole backlog.
 *
 * @throws ServiceError NOT_READY where the next call would settle nothing, SIMULATION_FAILED where the call would revert, UPSTREAM_*.
 */
export async function prepareRemit(client: ChainClient, parameters: PrepareRemitParameters) {
  const { operation, chain, block, preflight, next = null, warnings = [], paymasterUrl } = parameters;
  requirePaymaster(paymasterUrl);
  if (parameters.readinessOnly === true) return checkedOnly(operation, summaries.remit(preflight), preflight);
  requireReady(preflight);
  const { contract, chainId, name } = chain;
  const from = getAddress(parameters.from);
  const broadcaster = getAddress(parameters.simulateFromAddress ?? from);
  // A page may need as much gas as a transaction may have.
  const gasCap = transactionGasLimit(client, block);
  const simulated = next && {
    method: "eth_simulateV1" as const,
    results: [{ ...next, gasSource: "simulated" as const }],
  };
  const remit = { title: "remit", to: contract, data: encodeRemit(), gas: gasCap };
  const [fees, balance, { calls, simulation, gasUsed, rollupFees, warnings: ofSender }] = await Promise.all([
    estimateFees(client, { block, waitSeconds: SIGNED_BY_HAND_SECONDS }),
    readNativeBalance(client, { account: broadcaster, block }),
    simulateFirstThatRuns(client, { ways: [[remit]], from, broadcaster, block, simulated }),
  ]);
  const refusal = simulationRefusal(calls, simulation);
  if (refusal !== null) throw simulationFailed(refusal);
  const { gasEstimates, gasSummary } = gasBudget({ gasUsed, rollupFees, fees, gasCap });
  const { method, results } = simulation;
  return {
    summary: summaries.remit(preflight),
    instructions: instructions({
      chainId,
      chainName: name,
      from,
      calls,
      paymasterUrl,
      afterwards: afterwards(preflight),
    }),
    warnings: [
      ...preflight.warnings,
      ...ofSender,
      ...warnings,
      ...(paymasterUrl === undefined
        ? warnAboutGas(broadcaster, balance, BigInt(gasSummary.totalEstimatedCostWei))
        : []),
    ],
    unsignedTransactions: [{ to: contract, data: remit.data, value: "0", chainId, from }],
    ...signing({ chainId, from, calls: [remit], paymasterUrl }),
    simulation: await presentSimulation(client, { method, calls: results, contract, block }),
    gasEstimates,
    gasSummary: { ...gasSummary, ...backlogCost(preflight) },
    preflight,
  };
}

/** @throws ServiceError SIMULATION_FAILED when only the chain refuses, NOT_READY when the next call would settle nothing. */
function requireReady({ ready, reason, issues, blockedBy, expectedTransactions }: RemitReadiness): void {
  if (ready) return;
  const [first] = issues;
  const message = first?.message ?? "remit() has nothing to settle now";
  if (blockedBy === undefined) {
    // Without a transaction in the plan the call itself would revert: every day up to today is settled or empty.
    const nothing = expectedTransactions === 0 && reason !== "blocked";
    throw new ServiceError("NOT_READY", message, { issues, ...(nothing ? { revert: reasonRevert("6") } : {}) });
  }
  throw new ServiceError("SIMULATION_FAILED", message, { issues, revert: blockedBy.revert });
}

/** The costs are sums over the plan's transactions, not one transaction's cost times their number. */
function backlogCost({ expectedTransactions, economics }: RemitReadiness) {
  return {
    backlogMultiplier: expectedTransactions,
    totalBacklogEstimatedCostWei: economics.estimatedCostWei,
    totalBacklogEstimatedCostEth: economics.estimatedCostEth,
  };
}

function afterwards({ expectedTransactions }: RemitReadiness): string | undefined {
  const rest = expectedTransactions - 1;
  return rest > 0 ? `Prepare again: the backlog takes ${rest} more transaction(s), one remit() each.` : undefined;
}

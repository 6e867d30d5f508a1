import { estimateFees } from "@dueday/chain/fees/estimateFees";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { ServiceError } from "@dueday/core/errors";
import { reasonRevert } from "@dueday/core/reverts/reasonRevert";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { answerLive } from "../../chains/answerLive";
import { defineOperation } from "../../operation/defineOperation";
import { budgetGas } from "../prepare/budgetGas";
import { instructions } from "../prepare/instructions";
import { remitAnswer } from "../prepare/prepareAnswer";
import { prepareInput } from "../prepare/prepareInput";
import { presentSimulation } from "../prepare/presentSimulation";
import { simulationFailed, simulationRefusal } from "../prepare/refusalErrors";
import { simulateFirstThatRuns } from "../prepare/simulateFirstThatRuns";
import { readReadiness } from "./readReadiness";
import { staleSnapshotWarning } from "./staleSnapshotWarning";

const NAME = "prepare_remit";

export const prepareRemit = defineOperation({
  name: NAME,
  http: { method: "POST", path: "/prepare/remit" },
  summary: "Unsigned remit() transaction that settles the next due day or page of it",
  description:
    "Simulates remit() for the wallet that will sign, on the latest block and never from a snapshot, and returns it unsigned. One " +
    "remit() settles one day that has something due, or a page of at most maxRemits payments: sign, broadcast, and prepare again " +
    "until caught up; gasSummary has the whole backlog. 409 NOT_READY when there is nothing to settle, 422 SIMULATION_FAILED with " +
    "the decoded revert when the call is blocked. preflight is the answer of check_remit_readiness for this wallet.",
  chainScoped: true,
  bucket: "write",
  area: "remit",
  toolsets: ["keeper"],
  annotations: { readOnlyHint: true, openWorldHint: true },
  errors: ["NOT_READY", "SIMULATION_FAILED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object(prepareInput),
  output: remitAnswer(RemitReadiness),
  example: { from: "0x1111111111111111111111111111111111111111" },
  deadlineMs: 30_000,
  async handler(context, input) {
    const { contract, chainId, name } = context.chain.config;
    const from = getAddress(input.from);
    const broadcaster = getAddress(input.simulateFromAddress ?? input.from);
    const { asOf, ...answer } = await answerLive(context, async (client, block) => {
      const preflight = await readReadiness(context, client, { from, block });
      if (input.readinessOnly === true) return judgement(preflight);
      requireReady(preflight);
      // A page may need as much gas as a block has.
      const remit = { title: "remit", to: contract, data: encodeRemit(), gas: block.gasLimit };
      const [fees, { calls, simulation, gasUsed, l1Fees, warnings }] = await Promise.all([
        estimateFees(client, { block }),
        simulateFirstThatRuns(client, { ways: [[remit]], from, broadcaster, block }),
      ]);
      const refusal = simulationRefusal(calls, simulation);
      if (refusal !== null) throw simulationFailed(refusal);
      const { gasEstimates, gasSummary } = budgetGas({ gasUsed, l1Fees, fees, block });
      const { method, results } = simulation;
      return {
        instructions: instructions({ chainId, chainName: name, from, calls, afterwards: afterwards(preflight) }),
        warnings: [...preflight.warnings, ...warnings, ...staleSnapshotWarning(context)],
        unsignedTransactions: [{ to: contract, data: remit.data, value: "0", chainId, from }],
        signingMode: "raw" as const,
        simulation: await presentSimulation(client, { method, calls: results, contract, block }),
        gasEstimates,
        gasSummary: { ...gasSummary, ...backlogCost(preflight) },
        preflight,
      };
    });
    return { requestId: context.requestId, ...answer, asOf };
  },
});

function judgement(details: RemitReadiness) {
  const { ready, issues, warnings } = details;
  return { readinessOnly: true as const, operation: NAME, ready, issues, warnings, instructions: [], details };
}

/** @throws ServiceError SIMULATION_FAILED when only the chain refuses, NOT_READY when there is nothing to settle. */
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

/** Summed from the plan, not multiplied. */
function backlogCost({ expectedTransactions, economics }: RemitReadiness) {
  return {
    backlogMultiplier: expectedTransactions,
    totalBacklogEstimatedCostWei: economics.estimatedCostWei,
    totalBacklogEstimatedCostEth: economics.estimatedCostEth,
  };
}

function afterwards({ expectedTransactions }: RemitReadiness): string | undefined {
  const rest = expectedTransactions - 1;
  return rest > 0 ? `Prepare again: the backlog takes ${rest} more, one remit() at a time.` : undefined;
}

import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { estimateFees } from "@dueday/chain/fees/estimateFees";
import { estimateL1Fee } from "@dueday/chain/fees/estimateL1Fee";
import type { SimulatedCall } from "@dueday/chain/simulate/parseSimulation";
import { simulateCalls } from "@dueday/chain/simulate/simulateCalls";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { ServiceError } from "@dueday/core/errors";
import { RemitReadiness, type Warning } from "@dueday/core/snapshots/remitReadiness";
import { Type } from "@sinclair/typebox";
import { type Address, getAddress } from "viem";
import { answerLive } from "../../chain/answerLive";
import { defineOperation } from "../../operation";
import { type Instruction, remitAnswer } from "../../schema/prepareAnswer";
import { prepareInput } from "../../schema/prepareInput";
import { estimateGas, formatEther, summarizeGas } from "../prepare/estimateGas";
import { presentSimulation } from "../prepare/presentSimulation";
import { readReadiness } from "./readReadiness";

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
    const { contract, chainId } = context.chain.config;
    const from = getAddress(input.from);
    const broadcaster = getAddress(input.simulateFromAddress ?? input.from);
    const { asOf, ...answer } = await answerLive(context, async (client, block) => {
      const preflight = await readReadiness(context, client, { from, block });
      if (input.readinessOnly === true) return judgement(preflight);
      requireReady(preflight);
      const calls = await simulateRemit(client, contract, from, block);
      const gas = await budget(client, { contract, block, calls, from, broadcaster, preflight });
      return {
        instructions: instructions(chainId, preflight),
        warnings: [...preflight.warnings, ...gas.warnings],
        unsignedTransactions: [{ to: contract, data: encodeRemit(), value: "0", chainId, from }],
        signingMode: "raw" as const,
        simulation: await presentSimulation(client, { method: "eth_simulateV1", calls, contract, block }),
        gasEstimates: [gas.estimate],
        gasSummary: gas.summary,
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
function requireReady({ ready, issues, blockedBy }: RemitReadiness): void {
  if (ready) return;
  const [first] = issues;
  const message = first?.message ?? "remit() has nothing to settle now";
  if (blockedBy === undefined) throw new ServiceError("NOT_READY", message, { issues });
  throw new ServiceError("SIMULATION_FAILED", message, { issues, revert: blockedBy.revert });
}

/** @throws ServiceError SIMULATION_FAILED when the chain changed its mind between plan and simulation. */
async function simulateRemit(
  client: ChainClient,
  contract: Address,
  from: Address,
  block: ChainBlock,
): Promise<SimulatedCall[]> {
  const calls = await simulateCalls(client, { calls: [{ from, to: contract, data: encodeRemit() }], block });
  const failed = calls.find((call) => !call.success);
  if (failed === undefined) return calls;
  const { revert } = failed;
  throw new ServiceError("SIMULATION_FAILED", revert?.message ?? "remit() fails in simulation", {
    ...(revert === undefined ? {} : { revert }),
  });
}

type BudgetParameters = {
  contract: Address;
  block: ChainBlock;
  /** The simulation from `from`. */
  calls: readonly SimulatedCall[];
  from: Address;
  broadcaster: Address;
  preflight: RemitReadiness;
};

async function budget(client: ChainClient, parameters: BudgetParameters) {
  const { contract, block, calls, from, broadcaster, preflight } = parameters;
  const warnings: Warning[] = [];
  let gasUsed = gasOf(calls);
  if (broadcaster !== from) {
    const theirs = await simulateCalls(client, {
      calls: [{ from: broadcaster, to: contract, data: encodeRemit() }],
      block,
    });
    if (theirs.every((call) => call.success)) gasUsed = gasOf(theirs);
    else {
      const message = "remit() fails for simulateFromAddress; the gas estimate is that of from";
      warnings.push({ code: "SIMULATE_FROM_FAILED", message });
    }
  }
  const [fees, l1FeeWei] = await Promise.all([
    estimateFees(client, { block }),
    estimateL1Fee(client, { to: contract, data: encodeRemit(), gas: gasUsed, block }),
  ]);
  const estimate = estimateGas({ gasUsed, fees, l1FeeWei, blockGasLimit: block.gasLimit, source: "simulated" });
  const backlogWei = BigInt(preflight.economics.estimatedCostWei);
  const summary = {
    ...summarizeGas([estimate]),
    backlogMultiplier: preflight.expectedTransactions,
    totalBacklogEstimatedCostWei: backlogWei.toString(),
    totalBacklogEstimatedCostEth: formatEther(backlogWei),
  };
  return { estimate, summary, warnings };
}

function gasOf(calls: readonly SimulatedCall[]): bigint {
  return calls.reduce((sum, call) => sum + call.gasUsed, 0n);
}

function instructions(chainId: number, { expectedTransactions }: RemitReadiness): Instruction[] {
  const rest = expectedTransactions - 1;
  const texts = [
    `Connect the wallet to chain ${chainId} and check that the transaction goes to the contract you expect.`,
    "Sign unsignedTransactions[0] and broadcast it to that chain.",
    "Poll POST /transactions/status with its hash until it is confirmed.",
    ...(rest > 0 ? [`Prepare again: the backlog takes ${rest} more, one remit() at a time.`] : []),
  ];
  return texts.map((text, index) => ({ step: index + 1, text }));
}

import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { type MeteredGas, usedGas } from "@dueday/core/remit/gasMeter";
import type { Plan } from "@dueday/core/remit/plan";
import { type ModelledPlan, planRemitInSlices } from "@dueday/core/remit/planRemit";
import type { RemitState } from "@dueday/core/remit/state";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import { outOfGasRevert } from "@dueday/core/reverts/outOfGasRevert";
import { asTokenRevert } from "@dueday/core/reverts/tokenRevert";
import { numberToHex } from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainClient } from "../client/createChainClient";
import { parseQuantity } from "../client/parseQuantity";
import { RpcRefusal } from "../client/rpcOutcome";
import { transactionGasLimit } from "../fees/transactionGasLimit";
import { usesUp } from "../simulate/parseSimulation";
import { type RepeatedCall, repeatCall } from "../simulate/repeatCall";
import { comparePlans, type PlanDifference } from "./comparePlans";
import { fitGas } from "./fitGas";
import { detailsOf, judgeEnd, modelLike } from "./matchModel";
import { PLAN_TRANSACTIONS_LIMIT, type PlanSimulation, type SimulatePlanParameters } from "./simulatePlan";

/** Transactions whose gas is metered; that of the others follows from theirs. */
const METERED = { meteredTransactions: 100 };
/** What a transaction costs before its call: its base, and four bytes of data that are not zero. */
export const REMIT_BASE_GAS = 21_064n;

/**
 * The plan on a node without eth_simulateV1: the model's. Where the node takes state overrides, remit() is repeated in one eth_call,
 * which shows how many calls succeed, what ends them, and the gas of the first; the gas of the others is the model's, scaled by it.
 * Where the calls end otherwise than the model, the plan ends where they do, and `onDifference` is called unless the gas ran out.
 */
export async function planWithoutSimulation(
  client: ChainClient,
  parameters: SimulatePlanParameters & { onDifference(difference: PlanDifference): void },
  state: RemitState,
): Promise<Plan> {
  const free = await planRemitInSlices(state, METERED);
  const calls = await tryRemits(client, parameters, free);
  if (calls === null) return withGas(free, free, await estimateFirst(client, parameters));
  const trial = judgeEnd(readTrial(client, parameters, calls, free), free);
  const modelled = await modelLike(client, parameters, trial, free, METERED);
  const [first] = calls;
  const measured = first?.success === true ? REMIT_BASE_GAS + first.gasUsed : null;
  const difference = comparePlans(trial, modelled);
  if (difference === null) return withGas({ ...modelled, details: detailsOf(trial, modelled) }, modelled, measured);
  if (trial.revert?.name !== outOfGasRevert.name) parameters.onDifference(difference);
  return withGas({ ...trial, source: "modelled" }, free, measured);
}

/** Null where the node takes no overrides. */
function tryRemits(
  client: ChainClient,
  { contract, from, block }: SimulatePlanParameters,
  { transactions }: ModelledPlan,
): Promise<RepeatedCall[] | null> {
  // One more than planned shows what ends the plan.
  const count = Math.min(transactions.length + 1, PLAN_TRANSACTIONS_LIMIT);
  const gas = callGas(client, block);
  return repeatCall(client, { from, to: contract, data: encodeRemit(), count, gas, block });
}

/** What a transaction leaves for the call. */
function callGas(client: ChainClient, block: SimulatePlanParameters["block"]): bigint {
  return transactionGasLimit(client, block) - REMIT_BASE_GAS;
}

/** The calls as a simulation. They have no logs, so what the transactions do is taken from the model. */
function readTrial(
  client: ChainClient,
  { block }: SimulatePlanParameters,
  calls: readonly RepeatedCall[],
  { transactions, end }: ModelledPlan,
): PlanSimulation {
  const failed = calls.find(({ success }) => !success);
  const count = failed === undefined ? calls.length : calls.length - 1;
  const endingWith = (rest: Pick<Plan, "end" | "revert">): PlanSimulation => ({
    plan: {
      source: "modelled",
      complete: rest.end !== "limit",
      details: null,
      ...rest,
      transactions: transactions.slice(0, count),
    },
    handled: [],
    parties: new Set(),
    seam: null,
    exhausted: null,
  });
  // No call has failed: calls that change nothing succeed without end, or too few calls were tried to reach the end.
  if (failed === undefined) return endingWith({ end: end === "no_progress" ? end : "limit" });
  const limit = callGas(client, block);
  const isShort = failed.gasLeft < limit;
  if (failed.returnData === "0x" && usesUp(failed.gasUsed, isShort ? failed.gasLeft : limit)) {
    return endingWith(isShort ? { end: "limit" } : { end: "blocked", revert: outOfGasRevert });
  }
  const revert = decodeRevert(failed.returnData);
  return endingWith(revert.code === "6" ? { end: "caught_up" } : { end: "blocked", revert: asTokenRevert(revert) });
}

/** The gas that the node estimates for the first call, before refunds. Null where it gives none. */
async function estimateFirst(
  client: ChainClient,
  { contract, from, block }: SimulatePlanParameters,
): Promise<bigint | null> {
  const gas = numberToHex(transactionGasLimit(client, block));
  try {
    const call = { from, to: contract, data: encodeRemit(), gas };
    return parseQuantity(await client.rpc("eth_estimateGas", [call, blockReference(block)]));
  } catch (error) {
    if (error instanceof RpcRefusal) return null;
    throw error;
  }
}

/** `plan` with the metered gas, scaled so that the first call spends what was measured: tokens differ in cost. */
function withGas(plan: Plan, { metered }: ModelledPlan, measured: bigint | null): Plan {
  const [first] = metered;
  const scale = ({ spent, refund }: MeteredGas) =>
    usedGas({ spent: measured === null || first === undefined ? spent : (spent * measured) / first.spent, refund });
  const used = metered.map(scale);
  const fit = fitGas(
    used.flatMap((gasUsed, index) => {
      const payments = plan.transactions[index]?.payments;
      return payments === undefined ? [] : [{ payments, gasUsed }];
    }),
  );
  const transactions = plan.transactions.map((transaction, index) => {
    const gas = used[index] ?? fit?.(transaction.payments);
    return { ...transaction, gas: gas === undefined ? null : { used: gas, source: "fitted" as const } };
  });
  return { ...plan, transactions };
}

import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { lastClosedDay } from "@dueday/core/remit/forecastFromPlan";
import type { BlockedBy, Plan } from "@dueday/core/remit/plan";
import type { RemitState } from "@dueday/core/remit/state";
import { encodeFunctionData, parseAbi } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";
import { transactionGasLimit } from "../fees/transactionGasLimit";
import { readAdmin } from "../reads/readAdmin";
import { requestSimulation } from "../simulate/simulateCalls";
import { openTokens } from "./matchModel";
import type { SimulatePlanParameters } from "./simulatePlan";

const pauseAbi = parseAbi(["function pauseToken(address token, bool pause)"]);
const PAUSE_GAS = 200_000n;
/** The largest number of tokens of the blocked day that are tried, a simulation each. */
const MOST_TRIED = 8;

/**
 * The token that stops remit() after the plan's transactions, where the model does not show it: a token may refuse by caller, by gas, or by
 * any other rule. In a simulation the admin pauses each token of the blocked day in turn; the token stops remit() if its pause makes the call no
 * longer revert in the same way. Null where the plan is not blocked, or none is found.
 */
export async function findStoppingToken(
  client: ChainClient,
  { contract, from, block, time }: SimulatePlanParameters,
  { state, plan }: { state: RemitState; plan: Plan },
): Promise<BlockedBy | null> {
  const { revert, transactions } = plan;
  if (plan.end !== "blocked" || revert === undefined) return null;
  const admin = await readAdmin(client, { contract, block });
  if (admin === null) return null;
  const gas = transactionGasLimit(client, block);
  const remit = { from, to: contract, data: encodeRemit(), gas };
  const before = transactions.map((transaction) => {
    const used = transaction.gas?.used;
    return { ...remit, gas: used !== undefined && 2n * used < gas ? 2n * used : gas };
  });
  const lastClosed = lastClosedDay(transactions) ?? state.nextUncheckedDay - 1;
  for (const { token, id } of openTokens(state, lastClosed).slice(0, MOST_TRIED)) {
    const data = encodeFunctionData({ abi: pauseAbi, functionName: "pauseToken", args: [token, true] });
    const calls = [...before, { from: admin, to: contract, data, gas: PAUSE_GAS }, remit];
    try {
      const [paused, after] = (await requestSimulation(client, { calls, block, time })).slice(before.length);
      const isSame = after?.success === false && after.revert?.code === revert.code;
      if (paused?.success === true && after !== undefined && !isSame) return { id, token, revert };
    } catch (error) {
      if (error instanceof RpcRefusal) return null;
      throw error;
    }
  }
  return null;
}

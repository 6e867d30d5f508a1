import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import type { SimulatedCall } from "@dueday/chain/simulate/parseSimulation";
import type { RemitSimulation } from "./keeperNode";

type Limits = {
  /** The gas limits of the calls in the plan. */
  gasLimits: readonly bigint[];
  /** The most gas that a transaction may have. */
  largest: bigint;
};

type Result = { calls: SimulatedCall[]; end: RemitSimulation["end"] };

/**
 * Simulates calls with the gas limits of the plan. One that fails is tried again, as the last, with the most gas that a transaction may
 * have: a token may fail in any way for lack of gas. If the node refuses the request, half of the calls are tried; if it refuses
 * the retry, the calls before the failed one are returned. Rejects with the error of `simulate` if the node refuses a single call too.
 */
export async function simulateRepeatedly(
  simulate: (gasLimits: readonly bigint[]) => Promise<SimulatedCall[]>,
  { gasLimits, largest }: Limits,
): Promise<Result> {
  let limits = gasLimits.map((gas) => (gas < largest ? gas : largest));
  let shorter: Result | null = null;
  for (;;) {
    let results: SimulatedCall[];
    try {
      results = await simulate(limits);
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      // The balance may not pay for so much gas, or the node may not allow it.
      if (shorter !== null) return shorter;
      if (limits.length <= 1) throw error;
      limits = limits.slice(0, Math.ceil(limits.length / 2));
      continue;
    }
    const position = results.findIndex(({ success }) => !success);
    if (position === -1) return { calls: results, end: limits.length < gasLimits.length ? "limit" : "all" };
    // A node has a gas budget for the whole request, which may run out at a later call, whatever that call's limit.
    const end = results[position]?.outOfGas && position > 0 ? "limit" : "reverts";
    shorter = { calls: results.slice(0, position), end };
    if (limits[position] === largest) return shorter;
    limits = [...limits.slice(0, position), largest];
  }
}

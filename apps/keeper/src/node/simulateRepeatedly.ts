import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import type { SimulatedCall } from "@dueday/chain/simulate/parseSimulation";
import type { RemitSimulation } from "./keeperNode";

type Limits = {
  /** Of the calls, as the plan has them. */
  gasLimits: readonly bigint[];
  /** Of any transaction. */
  largest: bigint;
};

/**
 * Simulates calls with the gas limits of the plan. Where one needs more gas, it is tried again, as the last, with the most that a
 * transaction may have; where a node refuses the request, half of the calls are tried. Rejects as `simulate` does, where it refuses
 * a single call too.
 */
export async function simulateRepeatedly(
  simulate: (gasLimits: readonly bigint[]) => Promise<SimulatedCall[]>,
  { gasLimits, largest }: Limits,
): Promise<{ calls: SimulatedCall[]; end: RemitSimulation["end"] }> {
  let limits = gasLimits.map((gas) => (gas < largest ? gas : largest));
  for (;;) {
    let results: SimulatedCall[];
    try {
      results = await simulate(limits);
    } catch (error) {
      if (!(error instanceof RpcRefusal) || limits.length <= 1) throw error;
      limits = limits.slice(0, Math.ceil(limits.length / 2));
      continue;
    }
    const end = results.findIndex(({ success }) => !success);
    if (end === -1) return { calls: results, end: limits.length < gasLimits.length ? "limit" : "all" };
    const calls = results.slice(0, end);
    if (!results[end]?.outOfGas) return { calls, end: "reverts" };
    // A node has a budget of gas for a request, too: it may end at a later call whatever that one's limit is.
    if (limits[end] === largest) return { calls, end: end === 0 ? "reverts" : "limit" };
    limits = [...limits.slice(0, end), largest];
  }
}

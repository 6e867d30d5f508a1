import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { estimateL1Fee } from "@dueday/chain/fees/estimateL1Fee";
import {
  type BatchCall,
  type BatchSimulation,
  type GasSource,
  simulateBatch,
} from "@dueday/chain/simulate/simulateBatch";
import type { Warning } from "@dueday/core/errors";
import type { Address } from "viem";

export type SimulateWaysParameters<C extends BatchCall> = {
  /** Ways to the same end, at least one; see PreparePlan. */
  ways: readonly (readonly C[])[];
  from: Address;
  /** Whose gas is estimated. */
  broadcaster: Address;
  block: ChainBlock;
};

export type SimulatedWay<C extends BatchCall> = {
  calls: readonly C[];
  /** Always from the point of view of `from`. */
  simulation: BatchSimulation;
  /** Of each call, as the broadcaster would need it. */
  gasUsed: readonly { gas: bigint; source: GasSource }[];
  /** Wei for each call; null on a chain without an L1 fee. */
  l1Fees: readonly (bigint | null)[];
  warnings: Warning[];
};

/** Stands in for a gas limit in the L1 fee, where only the number of its bytes counts. */
const TYPICAL_GAS = 500_000n;

/**
 * Simulates the first way, and the next where a call before the last one fails: that is how a token shows that it refuses to
 * change an allowance. A failure of the last call is the protocol's own, and no other way would get round it.
 */
export async function simulateFirstThatRuns<C extends BatchCall>(
  client: ChainClient,
  { ways, from, broadcaster, block }: SimulateWaysParameters<C>,
): Promise<SimulatedWay<C>> {
  const [calls = [], ...others] = ways;
  const [simulation, theirs, l1Fees] = await Promise.all([
    simulateBatch(client, { from, calls, block }),
    broadcaster === from ? null : simulateBatch(client, { from: broadcaster, calls, block }),
    Promise.all(calls.map(({ to, data }) => estimateL1Fee(client, { to, data, gas: TYPICAL_GAS, block }))),
  ]);
  const failsEarly = simulation.results.slice(0, calls.length - 1).some((result) => !result.success);
  if (failsEarly && others.length > 0) {
    return simulateFirstThatRuns(client, { ways: others, from, broadcaster, block });
  }
  const runs = theirs?.results.every((result) => result.success) ?? true;
  const { results } = runs ? (theirs ?? simulation) : simulation;
  const warnings = runs
    ? []
    : [
        {
          code: "SIMULATE_FROM_FAILED",
          message: "The transactions fail for simulateFromAddress; the gas estimates are those of from.",
        },
      ];
  const gasUsed = results.map((result) => ({ gas: result.gasUsed, source: result.gasSource }));
  return { calls, simulation, gasUsed, l1Fees, warnings };
}

import type { Warning } from "@dueday/core/errors";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { estimateL1Fee } from "../fees/estimateL1Fee";
import { type BatchCall, type BatchSimulation, type GasSource, simulateBatch } from "../simulate/simulateBatch";

export type SimulateWaysParameters<C extends BatchCall> = {
  /** Ways to the same end, at least one; see `PreparePlan`. */
  ways: readonly (readonly C[])[];
  from: Address;
  /** The account whose gas is estimated. */
  broadcaster: Address;
  block: ChainBlock;
};

export type SimulatedWay<C extends BatchCall> = {
  calls: readonly C[];
  /** Sent by `from`. */
  simulation: BatchSimulation;
  /** Of each call, as the broadcaster would need it. */
  gasUsed: readonly { gas: bigint; source: GasSource }[];
  /** Wei for each call; null on a chain without an L1 fee. */
  l1Fees: readonly (bigint | null)[];
  warnings: Warning[];
};

/** Gas limit for the L1 fee, which depends only on the number of its bytes. */
const TYPICAL_GAS = 500_000n;

/**
 * Simulates the first way, and the next where a call before the last one fails: that is how a token shows that it refuses to
 * change an allowance. The last call is the protocol's own: where it fails, it fails in every way.
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

import type { Warning } from "@dueday/core/errors";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { estimateRollupFees, type RollupFees } from "../fees/estimateRollupFees";
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
  /** Of each call; null on a chain without. */
  rollupFees: readonly (RollupFees | null)[];
  warnings: Warning[];
};

/** Gas limit for the L1 fee, which depends only on the number of its bytes. */
const TYPICAL_GAS = 500_000n;

/**
 * Simulates the first way, and the next where an approve fails: that is how a token shows that it refuses to change an allowance.
 * Where a call of the protocol fails, it fails in every way.
 */
export async function simulateFirstThatRuns<C extends BatchCall>(
  client: ChainClient,
  { ways, from, broadcaster, block }: SimulateWaysParameters<C>,
): Promise<SimulatedWay<C>> {
  const [calls = [], ...others] = ways;
  const [simulation, theirs, rollupFees] = await Promise.all([
    simulateBatch(client, { from, calls, block }),
    broadcaster === from ? null : simulateBatch(client, { from: broadcaster, calls, block }),
    Promise.all(calls.map(({ to, data }) => estimateRollupFees(client, { to, data, gas: TYPICAL_GAS, block }))),
  ]);
  const refused = simulation.results.some(({ success }, index) => !success && calls[index]?.approves !== undefined);
  if (refused && others.length > 0) {
    return simulateFirstThatRuns(client, { ways: others, from, broadcaster, block });
  }
  const runs = theirs?.results.every((result) => result.success) ?? true;
  const { results } = runs ? (theirs ?? simulation) : simulation;
  const warnings: Warning[] = runs
    ? []
    : [
        {
          code: "SIMULATE_FROM_FAILED",
          message: "The transactions fail for simulateFromAddress; the gas estimates are those of from.",
        },
      ];
  const gasUsed = results.map((result) => ({ gas: result.gasUsed, source: result.gasSource }));
  return { calls, simulation, gasUsed, rollupFees, warnings };
}

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
  /** The account that would broadcast: gas is estimated for it too. */
  broadcaster: Address;
  block: ChainBlock;
  /** The first way as `from` sends it, where that was simulated already. */
  simulated?: BatchSimulation | null;
};

export type SimulatedWay<C extends BatchCall> = {
  calls: readonly C[];
  /** Sent by `from`. */
  simulation: BatchSimulation;
  /** Of each call: the higher of what `from` and the broadcaster would need. */
  gasUsed: readonly { gas: bigint; source: GasSource }[];
  /** Of each call; null on a chain without rollup fees. */
  rollupFees: readonly (RollupFees | null)[];
  warnings: Warning[];
};

/** Gas limit with which the L1 fee is estimated: of the limit, only its number of bytes counts for the fee. */
const TYPICAL_GAS = 500_000n;

/**
 * Simulates the first way, and the next where an approve fails: that is how a token shows that it refuses to change an allowance.
 * Where a call of the protocol fails, it would fail in the next way too.
 */
export async function simulateFirstThatRuns<C extends BatchCall>(
  client: ChainClient,
  { ways, from, broadcaster, block, simulated = null }: SimulateWaysParameters<C>,
): Promise<SimulatedWay<C>> {
  const [calls = [], ...others] = ways;
  const [simulation, theirs, rollupFees] = await Promise.all([
    simulated ?? simulateBatch(client, { from, calls, block }),
    broadcaster === from ? null : simulateBatch(client, { from: broadcaster, calls, block }),
    Promise.all(calls.map(({ to, data }) => estimateRollupFees(client, { to, data, gas: TYPICAL_GAS, block }))),
  ]);
  const refused = simulation.results.some(({ success }, index) => !success && calls[index]?.approves !== undefined);
  if (refused && others.length > 0) {
    return simulateFirstThatRuns(client, { ways: others, from, broadcaster, block });
  }
  const own = simulation.results.map(({ gasUsed, gasSource }) => ({ gas: gasUsed, source: gasSource }));
  if (theirs === null) return { calls, simulation, gasUsed: own, rollupFees, warnings: [] };
  if (!theirs.results.every(({ success }) => success)) {
    const message = "The transactions fail for simulateFromAddress; the gas estimates are those of from.";
    return {
      calls,
      simulation,
      gasUsed: own,
      rollupFees,
      warnings: [{ code: "SIMULATE_FROM_FAILED", message }],
    };
  }
  // The transactions are those of `from`, which signs them: with less gas than `from` needs they would fail.
  const gasUsed = own.map((mine, index) => {
    const other = theirs.results[index];
    return other !== undefined && other.gasUsed > mine.gas ? { gas: other.gasUsed, source: other.gasSource } : mine;
  });
  return { calls, simulation, gasUsed, rollupFees, warnings: gasWarning(simulation, theirs) };
}

function gasWarning(simulation: BatchSimulation, theirs: BatchSimulation): Warning[] {
  const [mine, other] = [simulation, theirs].map(({ results }) =>
    results.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
  );
  if (mine === other) return [];
  const message =
    `The transactions use ${mine} gas where from sends them and ${other} where simulateFromAddress does: ` +
    "the gas estimates take the higher figure of each.";
  return [{ code: "SIMULATE_FROM_DIFFERS", message }];
}

import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { lowest } from "../bigints";
import { limitOf } from "../decide/costRemits";
import { type Decision, type DecisionInput, decide } from "../decide/decide";
import type { PermitCall, PermitNode, PermitSimulation } from "../permits/permitNode";
import { planState } from "../plan/plannedRemits";
import { decisionInput } from "./decisionInput";
import type { KeeperChain } from "./keeperChain";

/** The most calls of remit() that are simulated after permits. Payments in later calls are saved in a later round. */
export const MOST_REMITS = 20;

export type JudgePermitsParameters = {
  readiness: RemitReadiness;
  node: PermitNode;
  /** Calls of remit() after the permits. */
  remits: number;
  /** Net of what was sent for this backlog already, wei, and what was lost in 24 hours. */
  earnedWei: bigint;
  lostWei: bigint;
};

/** What judging needs of a chain. */
export type JudgingChain = Pick<KeeperChain, "node" | "rules" | "priceSources" | "onPrice">;

/** What the next transactions would earn with these permits before the calls of remit(), and the decision on all of them. */
export type Judgement = {
  permits: readonly PermitCall[];
  simulation: PermitSimulation;
  /** Under the operator's rules. */
  decision: Decision;
  /** Highest sum of the nets, wei. */
  worthWei: bigint;
};

/** Judges sets of permits on the latest state, at present prices. Null for a set where a permit fails, or no remit() can be simulated after it. */
export async function openJudge(
  chain: JudgingChain,
  { readiness, node, remits, earnedWei, lostWei }: JudgePermitsParameters,
) {
  const { rules } = chain;
  const planned = readiness.plan.transactions.slice(0, remits);
  const gasLimits = planned.map(({ gasUsed }) => limitOf(BigInt(gasUsed ?? rules.gasCap ?? 0), rules.gasCap));
  const market = await chain.node.market();
  const maxFeePerGas = lowest([market.maxFee, rules.maxGasPrice]);
  const fees = { maxFeePerGas, maxPriorityFeePerGas: lowest([market.tip, maxFeePerGas]) };

  return async function judge(permits: readonly PermitCall[]): Promise<Judgement | null> {
    const simulation = await node.simulate(permits, { gasLimits, fees });
    if (simulation === null || simulation.remits.length === 0) return null;
    const rows = [
      ...simulation.permits.map((gas) => ({ gas, fees: [] })),
      ...simulation.remits.map(({ gas, callerFees }) => ({ gas, fees: callerFees })),
    ];
    const input = await decisionInput(chain, { plan: planState(readiness), remits: rows, earnedWei, lostWei });
    const decision = decide({ ...input, market });
    return { permits, simulation, decision, worthWei: worthOf({ ...input, market }) };
  };
}

/**
 * The highest sum that these transactions earn, whether or not it reaches the least profit; 0 where none of them is worth sending. Where
 * any loss is accepted, the sum of all transactions.
 */
function worthOf(input: DecisionInput): bigint {
  const { rules } = input;
  const { action, rows, ...decision } = decide({
    ...input,
    earnedWei: 0n,
    rules: { ...rules, minProfitWei: rules.minProfitWei === null ? null : 0n },
  });
  return action === "send" && "count" in decision ? (rows[decision.count - 1]?.cumulativeWei ?? 0n) : 0n;
}

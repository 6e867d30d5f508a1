import { limitOf } from "../decide/costRemits";
import { type DecisionInput, decide } from "../decide/decide";
import { planState, type RoundRemit } from "../plan/plannedRemits";
import type { PlanAnswer } from "../plan/planSource";
import type { Offer } from "../send/sendStep";
import { decisionInput } from "./decisionInput";
import type { KeeperChain } from "./keeperChain";
import type { RoundEnd } from "./roundEnd";

type NextInput = {
  remits: readonly RoundRemit[];
  plan: PlanAnswer;
  /** How many of the remits are mined, and their net. */
  sent: number;
  earnedWei: bigint;
  /** The block of the plan, or of the last own transaction. */
  lastBlock: bigint;
  /** Whether the transactions in the node's pool count: not where one of them is the keeper's own. */
  state: "pending" | "latest";
};

/** Blocks in which the remits of others are looked for, however old the plan is. */
const RIVAL_BLOCKS = 100n;
/** The protocol's revert when every day up to today is settled. */
const CAUGHT_UP = "6";

/** Whether the next transaction of the plan is still to be sent, and with which gas; asked right before it is signed. */
export async function judgeNext(
  chain: KeeperChain,
  { remits, plan, sent, earnedWei, lastBlock, state }: NextInput,
): Promise<{ offer: Offer; feesWei: bigint } | { end: RoundEnd }> {
  const { node, rules } = chain;
  const input = await decisionInput(chain, { plan: planState(plan.readiness), remits: remits.slice(sent), earnedWei });
  const planned = decide(input);
  if (planned.action !== "send") return { end: { why: "decided", decision: planned } };
  const { number } = await node.head();
  const since = number - lastBlock > RIVAL_BLOCKS ? number - RIVAL_BLOCKS : lastBlock;
  const [rivals, estimate] = await Promise.all([node.countRivals(since), node.estimateRemit(state)]);
  if (rivals !== null && rivals > 0) {
    return { end: { why: "overtaken", text: "another keeper settles this backlog" } };
  }
  if ("revert" in estimate) {
    const { code, message } = estimate.revert;
    return { end: { why: code === CAUGHT_UP ? "overtaken" : "changed", text: message } };
  }
  if (estimate.nextUncheckedDay > openDay(plan, remits.slice(0, sent))) {
    return { end: { why: "overtaken", text: "another keeper's transaction waits in the pool" } };
  }
  // The page has become longer since the plan was made: what is signed has to keep the rules, not what was planned.
  const isLonger = estimate.gas > (planned.rows[0]?.gasLimit ?? 0n);
  const decision = isLonger ? decide(withFirstGas(input, estimate.gas)) : planned;
  if (decision.action !== "send") return { end: { why: "decided", decision } };
  const { fees, capPerGas } = decision;
  return {
    offer: { fees, capPerGas, gasLimit: limitOf(estimate.gas, rules.gasCap) },
    feesWei: decision.rows[0]?.feesWei ?? 0n,
  };
}

function withFirstGas(input: DecisionInput, gas: bigint): DecisionInput {
  return { ...input, remits: input.remits.map((remit, index) => (index === 0 ? { ...remit, gas } : remit)) };
}

/** The first day that is open after these transactions of the plan. */
function openDay({ readiness }: PlanAnswer, mined: readonly RoundRemit[]): number {
  return readiness.nextUncheckedDay + mined.flatMap(({ closesDays }) => closesDays).length;
}

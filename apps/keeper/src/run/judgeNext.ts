import { limitOf, type PlannedRemit } from "../decide/costRemits";
import { type DecisionInput, decide } from "../decide/decide";
import { planState, type RoundRemit } from "../plan/plannedRemits";
import type { PlanAnswer } from "../plan/planSource";
import type { Offer } from "../send/sendStep";
import { nonceName } from "./createLossBook";
import { decisionInput } from "./decisionInput";
import type { KeeperChain } from "./keeperChain";
import { overtaken, type RoundEnd } from "./roundEnd";

type NextInput = {
  remits: readonly RoundRemit[];
  plan: PlanAnswer;
  /** How many of the remits are mined, and their net. */
  sent: number;
  earnedWei: bigint;
  /** Calls of remit() by others after this block mean that another keeper settles the backlog. */
  lastBlock: bigint;
  /** Whether the transactions in the node's pool count: not where one of them is the keeper's own. */
  state: "pending" | "latest";
  /** The nonce of the judged transaction, which replaces what was signed with it before. */
  nonce: number;
};

/** The protocol's revert when every day up to today is settled. */
const CAUGHT_UP = "6";

/** What to sign next, the prices of the tokens of its fees, and the planned value of these fees. */
export type Judged = { offer: Offer; prices: DecisionInput["prices"]; feesWei: bigint };

/** Whether the next transaction of the plan is still to be sent, and with which gas; asked right before it is signed. */
export async function judgeNext(
  chain: KeeperChain,
  { remits, plan, sent, earnedWei, lastBlock, state, nonce }: NextInput,
): Promise<Judged | { end: RoundEnd }> {
  const { node, rules, losses } = chain;
  const input = await decisionInput(chain, {
    plan: planState(plan.readiness),
    remits: remits.slice(sent),
    earnedWei,
    lostWei: losses.sum(nonceName(nonce)),
  });
  const planned = decide(input);
  if (planned.action !== "send") return { end: { why: "decided", decision: planned } };
  // Read before the rest, so that what follows is judged on this block or a later one.
  const { number: block } = await node.head();
  const [rivals, estimate] = await Promise.all([node.rivals(lastBlock), node.estimateRemit(state, planned.fees)]);
  if (rivals !== null && rivals.length > 0) return { end: overtaken };
  if ("revert" in estimate) {
    const { code, message } = estimate.revert;
    return { end: { why: code === CAUGHT_UP ? "overtaken" : "changed", text: message } };
  }
  const openDay = firstOpenDay(plan, remits.slice(0, sent));
  if (estimate.nextUncheckedDay > openDay) {
    return { end: { why: "overtaken", text: "another keeper's transaction waits in the pool" } };
  }
  // Decided again, because the page may have become longer since the plan was made: the rules hold for the gas limit that is signed.
  const isLonger = estimate.gas > (planned.rows[0]?.gasLimit ?? 0n);
  const gasLimit = limitOf(estimate.gas, rules.gasCap);
  const decision = decide(withFirst(input, { gasLimit, ...(isLonger && { gas: estimate.gas }) }));
  if (decision.action !== "send") return { end: { why: "decided", decision } };
  const { fees, capPerGas } = decision;
  return {
    offer: { fees, capPerGas, gasLimit, permit: null, basis: { block, openDay } },
    prices: input.prices,
    feesWei: decision.rows[0]?.feesWei ?? 0n,
  };
}

function withFirst(input: DecisionInput, change: Partial<PlannedRemit>): DecisionInput {
  return { ...input, remits: input.remits.map((remit, index) => (index === 0 ? { ...remit, ...change } : remit)) };
}

/** The first day that is open after these transactions of the plan. */
export function firstOpenDay({ readiness }: PlanAnswer, mined: readonly RoundRemit[]): number {
  return readiness.nextUncheckedDay + mined.flatMap(({ closesDays }) => closesDays).length;
}

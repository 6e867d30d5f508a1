import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { decide } from "../decide/decide";
import { isSamePlan } from "../plan/isSamePlan";
import { planState, type RoundRemit } from "../plan/plannedRemits";
import { nonceName } from "./createLossBook";
import { decisionInput } from "./decisionInput";
import type { KeeperChain } from "./keeperChain";
import { overtaken, type RoundEnd } from "./roundEnd";

type VerifyInput = {
  remits: readonly RoundRemit[];
  /** How many of them are mined. */
  done: number;
  /** Their net, wei. */
  earnedWei: bigint;
  readiness: RemitReadiness;
  /** Calls of remit() by others after this block mean that another keeper settles the backlog. */
  lastBlock: bigint;
};

/** All remits. Those before `until` are verified, and have the gas that the node simulated; where no node can simulate, all are trusted. */
type Verified = { remits: readonly RoundRemit[]; until: number };

/**
 * Compares the next transactions of a plan with a simulation on the keeper's own node, exactly as they would be signed: as many as
 * the plan needs until it earns something. So neither an API that promises too much nor a token that behaves differently where gas
 * has a price costs anything. Where no node can simulate, the plan is trusted, and a wrong one costs the gas of a transaction.
 */
export async function verifyRemits(
  chain: KeeperChain,
  { remits, done, earnedWei, readiness, lastBlock }: VerifyInput,
): Promise<Verified | { end: RoundEnd }> {
  const rest = remits.slice(done);
  const nonce = chain.sender.openNonce();
  const lostWei = chain.losses.sum(nonce === null ? undefined : nonceName(nonce));
  const facts = { plan: planState(readiness), remits: rest, earnedWei, lostWei };
  const decision = decide(await decisionInput(chain, facts));
  if (decision.action !== "send") return { end: { why: "decided", decision } };
  const earning = decision.rows.findIndex(({ cumulativeWei }) => cumulativeWei > 0n);
  const count = chain.rules.minProfitWei === null || earning === -1 ? 1 : earning + 1;
  const gasLimits = decision.rows.slice(0, count).map(({ gasLimit }) => gasLimit);
  const simulation = await chain.node.simulateRemits(gasLimits, decision.fees);
  if (simulation === null) return { remits, until: remits.length };
  const { remits: simulated, end } = simulation;
  const planned = rest.slice(0, end === "limit" ? simulated.length : count);
  if (!isSamePlan(planned, simulated)) {
    if (((await chain.node.rivals(lastBlock))?.length ?? 0) > 0) return { end: overtaken };
    const text = "the plan differs from a simulation on the keeper's own node, at the price that its transactions pay";
    return { end: { why: "disagrees", text } };
  }
  const seen = planned.map((remit, index) => ({ ...remit, gas: simulated[index]?.gas ?? remit.gas }));
  const until = done + planned.length;
  return { remits: [...remits.slice(0, done), ...seen, ...rest.slice(planned.length)], until };
}

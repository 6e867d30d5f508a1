import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { decide } from "../decide/decide";
import { isSamePlan } from "../plan/isSamePlan";
import { planState, type RoundRemit } from "../plan/plannedRemits";
import { decisionInput } from "./decisionInput";
import type { KeeperChain } from "./keeperChain";
import type { RoundEnd } from "./roundEnd";

type VerifyInput = {
  remits: readonly RoundRemit[];
  /** How many of them are mined. */
  done: number;
  /** Their net, wei. */
  earnedWei: bigint;
  readiness: RemitReadiness;
};

/** The remits with the next ones as the node sees them, which are those before `until`. */
type Verified = { remits: readonly RoundRemit[]; until: number };

/**
 * Compares the next transactions of an API's plan with a simulation on the keeper's own node: as many as the plan needs until it earns
 * something. So an API that promises too much costs nothing. Where no node can simulate, the plan is taken as it is, and what it
 * promises wrongly costs the gas of a transaction.
 */
export async function verifyRemits(
  chain: KeeperChain,
  { remits, done, earnedWei, readiness }: VerifyInput,
): Promise<Verified | { end: RoundEnd }> {
  const rest = remits.slice(done);
  const decision = decide(await decisionInput(chain, { plan: planState(readiness), remits: rest, earnedWei }));
  if (decision.action !== "send") return { end: { why: "decided", decision } };
  const earning = decision.rows.findIndex(({ cumulativeWei }) => cumulativeWei > 0n);
  const count = chain.rules.minProfitWei === null || earning === -1 ? 1 : earning + 1;
  const simulated = await chain.node.simulateRemits(count);
  if (simulated === null) return { remits, until: remits.length };
  const planned = rest.slice(0, count);
  if (!isSamePlan(planned, simulated)) {
    return { end: { why: "disagrees", text: "what the API plans is not what the keeper's own node would do" } };
  }
  const seen = planned.map((remit, index) => ({ ...remit, gas: simulated[index]?.gas ?? remit.gas }));
  return { remits: [...remits.slice(0, done), ...seen, ...rest.slice(count)], until: done + count };
}

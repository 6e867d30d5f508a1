import { lowest } from "../bigints";
import { limitOf } from "../decide/costRemits";
import type { PermitCall } from "../permits/permitNode";
import type { PlanAnswer } from "../plan/planSource";
import type { Offer } from "../send/sendStep";
import { choosePermits, isSent } from "./choosePermits";
import { nonceName } from "./createLossBook";
import { type Judgement, openJudge } from "./judgePermits";
import type { KeeperChain } from "./keeperChain";
import { notePermit } from "./notePermit";
import { overtaken, type RoundEnd } from "./roundEnd";
import { endOf, noPermitsSent, type SentPermits } from "./settleRound";

type PermitsRound = {
  sent: SentPermits;
  /** Block of the last one; null where none was sent. */
  lastBlock: bigint | null;
  /** Why the round ends before any remit(); null where it goes on. */
  end: RoundEnd | null;
};

/**
 * Submits the kept permits that pay for themselves, before the calls of remit() in which they save payments. Each is judged again on the
 * keeper's own node right before it is signed: one that is submitted already, that fails, or that does not pay any more is left out.
 *
 * @throws KeeperError where API or node do not answer
 */
export async function sendPermits(chain: KeeperChain, { readiness, blockNumber }: PlanAnswer): Promise<PermitsRound> {
  const { permits: desk, sender, losses, report } = chain;
  const round: PermitsRound = { sent: noPermitsSent, lastBlock: null, end: null };
  // A transaction that is not mined yet keeps its nonce: it comes first.
  if (desk === null || sender.openNonce() !== null) return round;
  const chosen = await choosePermits(chain, desk, readiness, losses.sum());
  if (chosen === null) return round;
  for (const [index, call] of chosen.permits.entries()) {
    const { id, owner } = call.permit;
    let isOvertaken = false;
    const outcome = await sender.send(async (_, nonce) => {
      const rivals = await chain.node.rivals(round.lastBlock ?? blockNumber);
      isOvertaken = rivals !== null && rivals.length > 0;
      if (isOvertaken || !(await desk.node.isOpen(call))) return null;
      const judge = await openJudge(chain, {
        readiness,
        node: desk.node,
        remits: chosen.remits,
        earnedWei: -round.sent.costWei,
        lostWei: losses.sum(nonceName(nonce)) - round.sent.costWei,
      });
      const rest = chosen.permits.slice(index + 1);
      return offerOf(call, await judge([call, ...rest]), await judge(rest));
    });
    if (outcome.why === "unwanted") {
      if (isOvertaken) return { ...round, end: overtaken };
      report.log(
        "info",
        `the permit ${id} of ${owner} is not submitted: it is invalid now, or does not pay for its gas`,
        { permit: id },
      );
      continue;
    }
    if (outcome.why !== "mined") return { ...round, end: endOf(outcome.why) };
    const { receipt, attempt } = outcome;
    if (!attempt?.permit)
      return { ...round, end: { why: "changed", text: "another transaction was mined: the plan is read again" } };
    notePermit(chain, outcome, attempt.permit);
    round.lastBlock = receipt.blockNumber;
    if (!receipt.success) continue;
    const { costWei, hashes } = round.sent;
    round.sent = { costWei: costWei + receipt.costWei, hashes: [...hashes, receipt.hash] };
  }
  return round;
}

/**
 * What to sign. Null where the permit can't be judged, where the rules forbid sending it, or where the plan is not worth more with the permit
 * than without it.
 */
function offerOf(call: PermitCall, judged: Judgement | null, without: Judgement | null): Offer | null {
  if (judged === null || without === null || judged.worthWei <= without.worthWei || !isSent(judged)) return null;
  const { decision, simulation } = judged;
  const [gas] = simulation.permits;
  const [row] = decision.rows;
  if (decision.action !== "send" || gas === undefined || row === undefined) return null;
  // Up to this price the permit still earns more than it costs.
  const mostWei = row.costWei - row.rollupFeesWei + judged.worthWei - without.worthWei;
  const capPerGas = lowest([decision.capPerGas, mostWei / gas]);
  const maxFeePerGas = lowest([decision.fees.maxFeePerGas, capPerGas]);
  const maxPriorityFeePerGas = lowest([decision.fees.maxPriorityFeePerGas, maxFeePerGas]);
  return {
    fees: { maxFeePerGas, maxPriorityFeePerGas },
    capPerGas,
    gasLimit: limitOf(gas, null),
    permit: call,
  };
}

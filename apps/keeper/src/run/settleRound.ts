import { parseRemitLogs, type RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import { exitCode, KeeperError } from "../keeperError";
import type { MinedRemit } from "../node/keeperNode";
import { isAsPlanned } from "../plan/isSamePlan";
import { plannedRemits, type RoundRemit } from "../plan/plannedRemits";
import type { PlanAnswer } from "../plan/planSource";
import { daysText } from "../plan/planText";
import type { SendOutcome } from "../send/createSender";
import { judgeNext } from "./judgeNext";
import type { KeeperChain } from "./keeperChain";
import type { RoundEnd } from "./roundEnd";
import { verifyRemits } from "./verifyRemits";

export type Round = {
  /** Transactions of this round that were mined and settled something. */
  sent: number;
  /** Block of the last mined transaction. */
  lastBlock: bigint | null;
  end: RoundEnd;
};

/**
 * Settles one plan: one transaction after another, each decided again on what the keeper's own node shows, until the best part of the
 * plan is mined or something else ends the round.
 *
 * @throws KeeperError when no node answers
 */
export async function settleRound(chain: KeeperChain, plan: PlanAnswer): Promise<Round> {
  const { source, sender, ledger, report } = chain;
  let remits: readonly RoundRemit[] = plannedRemits(plan.readiness);
  const progress = { sent: 0, earnedWei: 0n, verified: source.isOwn ? remits.length : 0, lastBlock: plan.blockNumber };
  const ended = (end: RoundEnd): Round => {
    return { sent: progress.sent, lastBlock: progress.sent === 0 ? null : progress.lastBlock, end };
  };
  while (progress.sent < remits.length) {
    if (progress.verified <= progress.sent) {
      const verified = await verifyRemits(chain, {
        ...{ remits, done: progress.sent, earnedWei: progress.earnedWei, readiness: plan.readiness },
      });
      if ("end" in verified) return ended(verified.end);
      remits = verified.remits;
      progress.verified = verified.until;
    }
    let withdrawn: RoundEnd = { why: "changed", text: "the offer was withdrawn" };
    let feesWei = 0n;
    const outcome = await sender.send(async (state) => {
      const judged = await judgeNext(chain, { remits, plan, state, ...progress });
      if ("end" in judged) {
        withdrawn = judged.end;
        return null;
      }
      feesWei = judged.feesWei;
      return judged.offer;
    });
    if (outcome.why === "unwanted") return ended(withdrawn);
    if (outcome.why !== "mined") return ended(endOf(outcome.why));
    const { receipt } = outcome;
    const effects = receipt.success
      ? parseRemitLogs(receipt.logs, { contract: chain.contract, caller: chain.from })
      : null;
    ledger.add(receipt, effects);
    progress.lastBlock = receipt.blockNumber;
    if (effects === null) {
      report.log("warn", `transaction ${receipt.hash} reverted`, {
        transaction: receipt.hash,
        costWei: receipt.costWei,
      });
      return ended({ why: "lost", text: "another keeper was faster: the transaction reverted" });
    }
    progress.sent++;
    progress.earnedWei += feesWei - receipt.costWei;
    reportSettled(chain, { receipt, effects, position: `${progress.sent}/${plan.readiness.expectedTransactions}` });
    if (effects.payments === 0 && effects.closesDays.length === 0) {
      throw new KeeperError(exitCode.BLOCKED, "the last remit() changed nothing: the protocol is blocked");
    }
    const planned = remits[progress.sent - 1];
    if (planned === undefined || !isAsPlanned(planned, effects)) {
      return ended({ why: "changed", text: "the transaction did something else than planned: the plan is read again" });
    }
  }
  return ended({ why: "done" });
}

function endOf(why: Exclude<SendOutcome["why"], "mined" | "unwanted">): RoundEnd {
  switch (why) {
    case "nonce_used":
      return {
        why: "changed",
        text: "another program with the same key used the nonce, or a reorganisation freed one: the plan is read again",
      };
    case "insufficient_funds":
      return { why: "out_of_gas", text: "the address has too little ether for the gas of the next transaction" };
    case "not_mined":
      return { why: "failed", text: "the transaction was not mined in time; it keeps its nonce, and is tried again" };
    case "refused":
      return { why: "failed", text: "the nodes refuse the transaction" };
  }
}

type Settled = { receipt: MinedRemit; effects: RemitEffects; position: string };

function reportSettled({ report, tokens }: KeeperChain, { receipt, effects, position }: Settled): void {
  const { hash, gasUsed, costWei, blockNumber } = receipt;
  const { closesDays, payments, failures, callerFees } = effects;
  const closed = closesDays.length === 0 ? "" : `closed ${daysText(closesDays)}, `;
  const what = `${closed}${payments} payments (${failures} failed), earned ${tokens.fees(callerFees)}`;
  report.log("info", `${position}  ${hash}  ${what}, gas ${gasUsed}`, {
    ...{ transaction: hash, blockNumber, gasUsed, costWei, payments, failures },
  });
}

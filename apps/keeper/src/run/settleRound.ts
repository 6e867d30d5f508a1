import type { RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import { transactionProfit } from "@dueday/core/remit/transactionProfit";
import type { Hex } from "viem";
import { highest, lowest } from "../bigints";
import type { MinedRemit } from "../node/keeperNode";
import { isAsPlanned } from "../plan/isSamePlan";
import { plannedRemits, type RoundRemit } from "../plan/plannedRemits";
import type { PlanAnswer } from "../plan/planSource";
import { daysText } from "../plan/planText";
import type { SendOutcome } from "../send/createSender";
import { effectsOf } from "./effectsOf";
import { findFaster } from "./findFaster";
import { firstOpenDay, type Judged, judgeNext } from "./judgeNext";
import type { KeeperChain } from "./keeperChain";
import { noteLost } from "./noteLost";
import { notePermit } from "./notePermit";
import { overtaken, type RoundEnd } from "./roundEnd";
import { verifyRemits } from "./verifyRemits";

export type Round = {
  /** Transactions of this round that were mined and settled something. */
  sent: number;
  /** Block of the last mined transaction. */
  lastBlock: bigint | null;
  end: RoundEnd;
};

/** Permits that were sent before the round. Their cost counts in the round's decisions, and as lost until something is settled. */
export type SentPermits = { costWei: bigint; hashes: readonly Hex[] };
export const noPermitsSent: SentPermits = { costWei: 0n, hashes: [] };

/** Calls of remit() by others are looked for at most this far back, however old the plan is. */
const RIVAL_SECONDS = 200;

/**
 * Settles one plan: one transaction after another, each decided again on what the keeper's own node shows, until the best part of the
 * plan is mined or something else ends the round.
 *
 * @throws KeeperError when no node answers
 */
export async function settleRound(chain: KeeperChain, plan: PlanAnswer, permits = noPermitsSent): Promise<Round> {
  const { node, sender, ledger, losses, suspension, report, clock } = chain;
  const { readiness } = plan;
  // Not named by the plan's block, which an API could repeat to have the loss of one round replace that of another.
  const name = `round of ${clock.elapsed()}`;
  let remits: readonly RoundRemit[] = plannedRemits(readiness);
  // An API could name a block of long ago, or one that does not exist yet.
  const [head, recent] = await Promise.all([node.head(), node.blockBefore(RIVAL_SECONDS)]);
  const lastBlock = lowest([highest([plan.blockNumber, recent]), head.number]);
  const progress = { sent: 0, earnedWei: -permits.costWei, verified: 0, lastBlock };
  const ended = (end: RoundEnd): Round => {
    return { sent: progress.sent, lastBlock: progress.sent === 0 ? null : progress.lastBlock, end };
  };
  while (progress.sent < remits.length) {
    if (progress.verified <= progress.sent) {
      const verified = await verifyRemits(chain, { ...progress, remits, done: progress.sent, readiness });
      if ("end" in verified) return ended(verified.end);
      remits = verified.remits;
      progress.verified = verified.until;
    }
    let withdrawn: RoundEnd = { why: "changed", text: "the offer was withdrawn" };
    const last: { judged: Judged | null } = { judged: null };
    const outcome = await sender.send(async (state, nonce) => {
      const next = await judgeNext(chain, { remits, plan, state, nonce, ...progress });
      if ("end" in next) {
        withdrawn = next.end;
        return null;
      }
      last.judged = next;
      return next.offer;
    });
    if (outcome.why === "unwanted") return ended(withdrawn);
    if (outcome.why !== "mined") return ended(endOf(outcome.why));
    const { receipt, attempt } = outcome;
    const openDay = firstOpenDay(plan, remits.slice(0, progress.sent));
    progress.lastBlock = receipt.blockNumber;
    if (attempt?.permit) {
      notePermit(chain, outcome, attempt.permit);
      return ended({ why: "changed", text: "a permit that was sent before is mined: the plan is read again" });
    }
    const effects = effectsOf(receipt, chain);
    if (effects === null) {
      const { isRival, text } = await noteLost(chain, outcome);
      return ended({ why: isRival ? "lost" : "unexplained", text });
    }
    ledger.add(outcome, effects);
    progress.sent++;
    // From here on, the cost of the permits is part of the round's net.
    for (const hash of permits.hashes) losses.remove(hash);
    const earned = earnedBy(chain, { receipt, effects, judged: last.judged });
    progress.earnedWei += earned.netWei;
    if (chain.rules.minProfitWei !== null && progress.earnedWei < 0n) losses.note(name, -progress.earnedWei);
    else losses.remove(name);
    reportSettled(chain, { receipt, effects, position: `${progress.sent}/${readiness.expectedTransactions}` });
    if (earned.isLess) {
      // Another keeper settled the planned page, so this transaction settled the next one.
      if ((await findFaster(chain, outcome)).remit !== null) return ended(overtaken);
      const text = `transaction ${receipt.hash} earned less than when it was simulated: a token behaves differently in it`;
      suspension.note(openDay + effects.closesDays.length, text);
      report.log("warn", text, { transaction: receipt.hash, why: "unexplained" });
      return ended({ why: "unexplained", text });
    }
    const planned = remits[progress.sent - 1];
    if (planned === undefined || !isAsPlanned(planned, effects)) {
      return ended({ why: "changed", text: "the transaction did something else than planned: the plan is read again" });
    }
  }
  return ended({ why: "done" });
}

type Earned = { receipt: MinedRemit; effects: RemitEffects; judged: Judged | null };

/** What a transaction earned at the prices at which it was decided; only its cost is known where an earlier process had sent it. */
function earnedBy({ rules }: KeeperChain, { receipt, effects, judged }: Earned): { netWei: bigint; isLess: boolean } {
  if (judged === null) return { netWei: -receipt.costWei, isLess: false };
  const { feesWei } = transactionProfit({
    callerFees: effects.callerFees,
    prices: judged.prices,
    gasUsed: 0n,
    gasPrice: 0n,
    rollupFeesWei: 0n,
  });
  return { netWei: feesWei - receipt.costWei, isLess: rules.minProfitWei !== null && feesWei < judged.feesWei };
}

export function endOf(why: Exclude<SendOutcome["why"], "mined" | "unwanted">): RoundEnd {
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
  const facts = { transaction: hash, blockNumber, gasUsed, costWei, payments, failures };
  report.log("info", `${position}  ${hash}  ${what}, gas ${gasUsed}`, facts);
}

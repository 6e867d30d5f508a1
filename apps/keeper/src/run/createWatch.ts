import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { type Decision, ether } from "../decide/decide";
import type { Head } from "../node/keeperNode";
import type { PlanAnswer } from "../plan/planSource";
import { daysText } from "../plan/planText";
import type { Mined } from "../send/createSender";
import { effectsOf } from "./effectsOf";
import type { KeeperChain } from "./keeperChain";
import { subtractTotals } from "./ledger";
import { noteLost } from "./noteLost";
import { notePermit } from "./notePermit";

/** Observes the chain while it is settled: reorganisations, balance, clock, lag, missed payments, and how long nothing was worth sending. */
export type Watch = {
  /** Rechecks what was mined lately. @returns the chain's head */
  look(): Promise<Head>;
  notePlan(plan: PlanAnswer): void;
  /** Null: nothing is due, or the backlog is being settled. */
  noteDecision(decision: Decision | null): void;
  /** Something is due: from here on the transactions of other keepers are counted. */
  startBacklog(): void;
  /** Nothing is due any more: announces what was earned since the last time. */
  endBacklog(): void;
};

const MOST_SKEW_SECONDS = 300;
/** The clocks have to differ for this time before it is reported: a block may come late, or a node be behind for a moment. */
const SKEW_HOLD_ON_MS = 10 * 60_000;
/** The shortest interval between two requests for the finalized block. */
const FINALITY_MS = 30_000;
const DAY_MS = DAY_SECONDS * 1000;

export function createWatch(chain: KeeperChain): Watch {
  const { node, ledger, losses, sender, clock, report, warnDaysOfGas, tokens } = chain;
  const startedAt = clock.elapsed();
  /** Days of the payments that were announced as missed, by subscription and day. */
  const missed = new Map<string, number>();
  let announced = ledger.totals();
  let unprofitableSince: number | null = null;
  let skewedSince: number | null = null;
  let head: Head | null = null;
  let finality: { finalized: bigint | null; readAt: number } | null = null;
  /** Up to this block the transactions of others are counted; null while nothing is due. */
  let countedBlock: bigint | null = null;

  async function countLost({ number }: Head): Promise<void> {
    if (countedBlock === null || number <= countedBlock) return;
    // Where no node has the logs, only the keeper's own transactions count as lost races.
    ledger.addRivals((await node.rivals(countedBlock, number))?.map(({ hash }) => hash) ?? []);
    countedBlock = number;
  }

  async function readFinalized(): Promise<bigint | null> {
    if (finality === null || clock.elapsed() - finality.readAt >= FINALITY_MS) {
      finality = { finalized: await node.finalized(), readAt: clock.elapsed() };
    }
    return finality.finalized;
  }

  /** Accounts for a transaction that was mined after it was given up, or has another result since. */
  async function account(mined: Mined): Promise<void> {
    if (mined.attempt?.permit) return notePermit(chain, mined, mined.attempt.permit);
    const effects = effectsOf(mined.receipt, chain);
    if (effects !== null) ledger.add(mined, effects);
    else await noteLost(chain, mined);
  }

  async function recheck({ timestamp }: Head): Promise<void> {
    const { removed, changed } = await ledger.recheck(node, { timestamp, finalized: await readFinalized() });
    for (const hash of removed) {
      const text = `after a reorganisation transaction ${hash} is gone: it is not counted any more`;
      report.log("warn", text, { transaction: hash });
    }
    for (const mined of changed) {
      const { hash } = mined.receipt;
      report.log("warn", `after a reorganisation transaction ${hash} has another result`, { transaction: hash });
      losses.remove(hash);
      await account(mined);
    }
  }

  async function noteBalance(): Promise<void> {
    const balanceWei = await node.balance();
    const days = Math.max(1, (clock.elapsed() - startedAt) / DAY_MS);
    const { costWei } = ledger.totals();
    // A ratio for a warning, not an amount.
    const daysOfGas = costWei === 0n ? null : (Number(balanceWei) / Number(costWei)) * days;
    report.status({ balanceWei, daysOfGas });
    if (daysOfGas !== null && daysOfGas < warnDaysOfGas) {
      report.raise(
        "balance",
        `the balance of ${ether(balanceWei)} ETH pays for about ${daysOfGas.toFixed(1)} more days of gas`,
      );
    } else if (balanceWei > 0n) report.resolve("balance", `the balance is ${ether(balanceWei)} ETH again`);
  }

  function noteClock({ timestamp }: Head): void {
    const skew = clock.wall() / 1000 - timestamp;
    if (Math.abs(skew) <= MOST_SKEW_SECONDS) {
      skewedSince = null;
      report.resolve("clock", "clock and chain agree again");
      return;
    }
    skewedSince ??= clock.elapsed();
    if (clock.elapsed() - skewedSince < SKEW_HOLD_ON_MS) return;
    const side = skew > 0 ? "ahead of" : "behind";
    const text = `the machine's clock is ${Math.round(Math.abs(skew))} s ${side} the chain: check the clock and the node`;
    // Only a message: no decision depends on this clock.
    report.raise("clock", text);
  }

  /** Announces each missed payment once, even if some plans in between do not list it. */
  function noteMissed({ missed: listed, nextUncheckedDay }: PlanAnswer["readiness"]): void {
    for (const [key, day] of missed) if (day < nextUncheckedDay) missed.delete(key);
    for (const { id, dayNumber, subscribers } of listed) {
      const key = `${id} ${dayNumber}`;
      if (missed.has(key)) continue;
      missed.set(key, dayNumber);
      const text = `remit() will skip ${subscribers} subscribers of ${id} on ${daysText([dayNumber])}`;
      report.log("warn", text);
      report.announce(text);
    }
  }

  return {
    async look() {
      head = await node.head();
      await recheck(head);
      const late = await sender.collect();
      if (late !== null) await account(late);
      await countLost(head);
      await noteBalance();
      noteClock(head);
      return head;
    },

    notePlan({ readiness }) {
      const isDue = readiness.ready || readiness.reason === "blocked";
      report.status({
        lastPlanAt: clock.elapsed(),
        lagSeconds: isDue && head !== null ? Math.max(0, head.timestamp - firstDueDay(readiness) * DAY_SECONDS) : 0,
      });
      noteMissed(readiness);
      tokens.note(readiness);
    },

    noteDecision(decision) {
      if (decision === null || decision.action !== "wait" || decision.why === "idle") {
        unprofitableSince = null;
        report.resolve("unprofitable", "the backlog is worth settling again, or settled");
        return;
      }
      unprofitableSince ??= clock.elapsed();
      if (clock.elapsed() - unprofitableSince >= DAY_MS) {
        report.raise("unprofitable", `nothing was settled for a day: ${decision.reason}`);
      }
    },

    startBacklog() {
      countedBlock = head?.number ?? null;
    },

    endBacklog() {
      countedBlock = null;
      const totals = ledger.totals();
      const since = subtractTotals(totals, announced);
      announced = totals;
      // After a reorganisation, less may be settled than before.
      if (since.settled <= 0) return;
      const text = `settled: ${tokens.totals(since)}`;
      report.log("info", text);
      report.announce(text);
    },
  };
}

/** The first day on which something is due. */
function firstDueDay({ days, nextUncheckedDay }: PlanAnswer["readiness"]): number {
  return days.find(({ payments }) => payments > 0)?.dayNumber ?? nextUncheckedDay;
}

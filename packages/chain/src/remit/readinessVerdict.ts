import type { Issue } from "@dueday/core/errors";
import type { RemitReadiness, Warning } from "@dueday/core/snapshots/remitReadiness";
import type { ReadinessFacts } from "./buildReadiness";

type Reason = RemitReadiness["reason"];

/**
 * Why remit() should be called, or not (shapes, check_remit_readiness). A plan that ends blocked after good transactions is
 * `due`: the good ones can be sent.
 */
export function readinessReason({ plan, nextUncheckedDay, currentDay }: ReadinessFacts): Reason {
  if (nextUncheckedDay > currentDay) return "caught_up";
  if (plan.transactions.some((transaction) => transaction.payments > 0)) return "due";
  return plan.end === "caught_up" ? "nothing_due" : "blocked";
}

/** What keeps remit() from being called; empty when it is due. */
export function readinessIssues(reason: Reason, { plan, blockedBy, nextUncheckedDay }: ReadinessFacts): Issue[] {
  switch (reason) {
    case "due":
      return [];
    case "caught_up":
      return [
        { code: "CAUGHT_UP", message: `Every day before ${nextUncheckedDay} is settled; nothing is open today.` },
      ];
    case "nothing_due":
      return [
        { code: "NOTHING_DUE", message: "No open day holds a payment: remit() would revert, or settle nothing." },
      ];
    case "blocked":
      return [blockedIssue(plan.end, blockedBy)];
  }
}

function blockedIssue(end: RemitReadiness["plan"]["end"], blockedBy: RemitReadiness["blockedBy"]): Issue {
  if (end === "no_progress") {
    return { code: "NO_PROGRESS", message: "maxRemits is 0: remit() succeeds, settles nothing and never gets on." };
  }
  if (blockedBy === undefined) {
    return { code: "GAS_LIMIT", message: "The next remit() needs more gas than a block, or the chain's node, allows." };
  }
  return { code: "BLOCKED", message: `remit() reverts for everybody: ${blockedBy.revert.message}` };
}

/** Hints on a plan that can be begun. */
export function readinessWarnings({ plan, missed, blockedBy }: ReadinessFacts): Warning[] {
  const { transactions, end } = plan;
  const warnings: Warning[] = [];
  const warn = (code: string, message: string) => warnings.push({ code, message });
  if (transactions.length > 1) {
    warn(
      "SEVERAL_TRANSACTIONS",
      `The backlog needs ${transactions.length}${end === "limit" ? " or more" : ""} transactions.`,
    );
  }
  const failures = transactions.reduce((total, transaction) => total + transaction.failures, 0);
  if (failures > 0) {
    warn(
      "EXPECTED_FAILURES",
      `${failures} payment(s) fail for allowance or balance; those subscribers are unsubscribed.`,
    );
  }
  if (transactions.length > 0 && blockedBy !== undefined) {
    warn("ENDS_BLOCKED", `After ${transactions.length} transaction(s) remit() reverts: ${blockedBy.revert.message}`);
  }
  if (end === "limit") {
    warn("PLAN_LIMIT", "The plan ends at the limit of the simulation; more may be due after it.");
  }
  if (missed.length > 0) {
    warn(
      "MISSED_PAYMENTS",
      `${missed.length} due subscription(s) are never charged: the protocol's paging skips them.`,
    );
  }
  const unpaid = transactions.filter(({ payments, callerFees }) => payments > 0 && callerFees.length === 0).length;
  if (unpaid > 0) {
    warn("FEES_NOT_RECEIVED", `${unpaid} transaction(s) handle payments and pay the caller nothing.`);
  }
  return warnings;
}

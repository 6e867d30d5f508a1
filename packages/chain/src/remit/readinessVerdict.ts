import type { Issue, Warning } from "@dueday/core/errors";
import type { UnpaidReason } from "@dueday/core/remit/plan";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { blockedByOf, type ReadinessFacts } from "./buildReadiness";
import type { BacklogPlan } from "./planBacklog";

type Reason = RemitReadiness["reason"];

/** Unpaid fees that a warning names one by one. */
const UNPAID_NAMED = 5;
const UNPAID_REASONS: Record<UnpaidReason, string> = {
  unsubscribed_first: "the first of the subscriber set is on the unsubscribed list",
  no_difference: "the unsubscribed list is as long as the subscriber set",
  nothing_charged: "everything due that day is cancelled, paused or gone",
};

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
export function readinessIssues(reason: Reason, { plan, nextUncheckedDay }: ReadinessFacts): Issue[] {
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
      return [blockedIssue(plan.end, blockedByOf(plan))];
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
export function planWarnings(plan: BacklogPlan): Warning[] {
  const { transactions, end } = plan;
  const missed = plan.details?.missed ?? [];
  const blockedBy = blockedByOf(plan);
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
  const unpaid = unpaidWarning(plan);
  if (unpaid !== null) warn("FEES_NOT_RECEIVED", unpaid);
  return warnings;
}

/** Fees that the caller will not receive; with the model's reasons where it was asked. */
function unpaidWarning({ transactions, details }: BacklogPlan): string | null {
  if (details === null) {
    const unpaid = transactions.filter(({ payments, callerFees }) => payments > 0 && callerFees.length === 0).length;
    return unpaid > 0 ? `${unpaid} transaction(s) handle payments and pay the caller nothing.` : null;
  }
  const { unpaidFees } = details;
  if (unpaidFees.length === 0) return null;
  const reasons = unpaidFees.slice(0, UNPAID_NAMED).map(({ transaction, reason, id }) => {
    return `transaction ${transaction + 1}: ${UNPAID_REASONS[reason]}${id === undefined ? "" : ` (${id})`}`;
  });
  const more = unpaidFees.length > UNPAID_NAMED ? `; and ${unpaidFees.length - UNPAID_NAMED} more` : "";
  return `The caller goes without fees in ${reasons.join("; ")}${more}.`;
}

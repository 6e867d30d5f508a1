import type { WarningCode } from "@dueday/core/codes";
import type { Warning } from "@dueday/core/errors";
import type { Plan, UnpaidReason } from "@dueday/core/remit/plan";
import { type PlanFacts, stopMessage } from "./presentPlan";

/** Unpaid fees that a warning lists one by one. */
const UNPAID_LISTED = 5;
const UNPAID_REASONS: Record<UnpaidReason, string> = {
  unsubscribed_first: "the first entry of the subscriber set is on the unsubscribed list",
  no_difference: "the unsubscribed list is as long as the subscriber set",
  nothing_charged: "everything due that day is cancelled, paused or gone",
};

/** A page that uses this share of a transaction's gas cap is warned about: with some more payments it would fail. */
const GAS_CAP_NEAR_PERCENT = 80n;

/** Hints on the plan as a whole. */
export function planWarnings({ plan, gasCap, tokens }: Pick<PlanFacts, "plan" | "gasCap" | "tokens">): Warning[] {
  const { transactions, end } = plan;
  const missed = plan.details?.missed ?? [];
  const warnings: Warning[] = [];
  const warn = (code: WarningCode, message: string) => warnings.push({ code, message });
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
  if (transactions.length > 0 && plan.revert !== undefined) {
    warn(
      "ENDS_BLOCKED",
      `After ${transactions.length} transaction(s) remit() reverts: ${stopMessage(plan.revert, { plan, tokens })}`,
    );
  }
  if (end === "limit") {
    warn("PLAN_LIMIT", "The plan ends at the limit of the simulation; further payments may be due.");
  }
  const dearest = transactions.reduce((most, { gas }) => (gas !== null && gas.used > most ? gas.used : most), 0n);
  if (dearest * 100n > gasCap * GAS_CAP_NEAR_PERCENT) {
    warn(
      "GAS_CAP_NEAR",
      `A transaction of the plan uses ${dearest} gas, ${(dearest * 100n) / gasCap} % of the ${gasCap} that one may have. Larger pages can't be sent; the protocol's admin can lower maxRemits.`,
    );
  }
  if (missed.length > 0) {
    warn(
      "MISSED_PAYMENTS",
      `${missed.length} due subscription(s) are never charged, because the protocol's paging skips them.`,
    );
  }
  const unpaid = unpaidWarning(plan);
  if (unpaid !== null) warn("FEES_NOT_RECEIVED", unpaid);
  return warnings;
}

/** Fees that the caller will not receive, with their reasons where the model was run. */
function unpaidWarning({ transactions, details }: Plan): string | null {
  if (details === null) {
    const unpaid = transactions.filter(({ payments, callerFees }) => payments > 0 && callerFees.length === 0).length;
    return unpaid > 0 ? `${unpaid} transaction(s) handle payments and pay the caller nothing.` : null;
  }
  const { unpaidFees } = details;
  if (unpaidFees.length === 0) return null;
  const reasons = unpaidFees.slice(0, UNPAID_LISTED).map(({ transaction, reason, id }) => {
    return `transaction ${transaction + 1}: ${UNPAID_REASONS[reason]}${id === undefined ? "" : ` (${id})`}`;
  });
  const more = unpaidFees.length > UNPAID_LISTED ? `; and ${unpaidFees.length - UNPAID_LISTED} more` : "";
  return `The caller receives no fees in ${reasons.join("; ")}${more}.`;
}

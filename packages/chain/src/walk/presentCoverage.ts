import { dayToDate } from "@dueday/core/calendar/dates";
import type { PaymentCoverage } from "@dueday/core/schemas/coverage";
import type { PlanCoverage } from "@dueday/core/walk/coverage";

/** The coverage of a plan as answers show it. */
export function presentCoverage({ failsDay, ...coverage }: PlanCoverage): PaymentCoverage {
  const { allowanceCovers, balanceCovers, coveredPayments, cause, estimated } = coverage;
  const failsOn = failsDay === null ? null : dayToDate(failsDay);
  return { allowanceCovers, balanceCovers, coveredPayments, failsOn, cause, estimated };
}

import { useDuedayQuery } from "@dueday/sdk/react";
import type { Address, Hex } from "viem";

/** Payments of the new plan that are approved with a change, where the allowance is lower. */
export const APPROVED_PAYMENTS = 12;

/** The change from a plan to another, and `join` null while none is chosen. */
export type PlanChange = { account: Address; leave: Hex; join: Hex | null };

/** What a change of plan would move on both sides, and whether it is possible now. */
export function usePlanChange({ account, leave, join }: PlanChange) {
  return useDuedayQuery(
    "prepareChangePlan",
    join === null ? null : { from: account, leave, join, approvalPeriods: APPROVED_PAYMENTS, readinessOnly: true },
  );
}

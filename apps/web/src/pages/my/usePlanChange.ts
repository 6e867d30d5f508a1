import { useDuedayQuery } from "@dueday/sdk/react";
import type { Address, Hex } from "viem";

/** Payments of the new plan that a change approves where the allowance does not cover them. */
export const APPROVED_PAYMENTS = 12;

/** The change from the plan `leave` to the plan `join`, which is null while none is chosen. */
export type PlanChange = { account: Address; leave: Hex; join: Hex | null };

/** What a change would cost at the plan that is left and at the one that is joined, and whether it is possible now. */
export function usePlanChange({ account, leave, join }: PlanChange) {
  return useDuedayQuery(
    "prepareChangePlan",
    join === null ? null : { from: account, leave, join, approvalPeriods: APPROVED_PAYMENTS, readinessOnly: true },
  );
}

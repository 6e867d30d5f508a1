import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { getAddress } from "viem";
import type { PlannedRemit } from "../decide/costRemits";
import type { PlanState } from "../decide/decide";
import { summary } from "./planText";

/** One remit() of a plan, with what can be compared with the chain. */
export type RoundRemit = PlannedRemit & { payments: number; closesDays: readonly number[] };

/** The transactions that a readiness answer lists: the first ones of a long plan. */
export function plannedRemits({ plan }: RemitReadiness): RoundRemit[] {
  return plan.transactions.map(({ gasUsed, callerFees, payments, closesDays }) => ({
    gas: gasUsed === undefined ? null : BigInt(gasUsed),
    fees: callerFees.map(({ token, amountRaw }) => ({ token: getAddress(token), units: BigInt(amountRaw) })),
    payments,
    closesDays,
  }));
}

/** The state of the backlog, as the decision takes it. */
export function planState(readiness: RemitReadiness): PlanState {
  if (readiness.reason === "blocked") return { state: "blocked", reason: summary(readiness) };
  return { state: readiness.ready ? "due" : "idle" };
}

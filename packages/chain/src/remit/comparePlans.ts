import type { PlannedTransaction, RemitPlan } from "@dueday/core/remit/plan";

/** Where the model and the chain's own simulation part: at a transaction, or in how the plan ends. */
export type PlanDifference = {
  /** Index of the first transaction that differs; the number of them where only the end does. */
  transaction: number;
  simulated: string;
  modelled: string;
};

/** Compares the two as far as the simulation goes; null where they agree. Gas is the simulation's alone. */
export function comparePlans(simulated: RemitPlan, modelled: RemitPlan): PlanDifference | null {
  for (const [index, transaction] of simulated.transactions.entries()) {
    const other = modelled.transactions[index];
    const [ours, theirs] = [describe(transaction), other === undefined ? endOf(modelled) : describe(other)];
    if (ours !== theirs) return { transaction: index, simulated: ours, modelled: theirs };
  }
  if (!simulated.complete) return null;
  const count = simulated.transactions.length;
  const next = modelled.transactions[count];
  const [ours, theirs] = [endOf(simulated), next === undefined ? endOf(modelled) : describe(next)];
  return ours === theirs ? null : { transaction: count, simulated: ours, modelled: theirs };
}

function describe({ closesDays, day, payments, failures, callerFees }: PlannedTransaction): string {
  const fees = callerFees.map(({ token, units }) => `${units} of ${token}`).join(", ");
  return `day ${day}, closes ${closesDays.join(" ")}, ${payments} payments, ${failures} failures, fees ${fees}`;
}

function endOf({ end, revert }: RemitPlan): string {
  return revert === undefined ? `ends ${end}` : `ends ${end} with "${revert.code}"`;
}

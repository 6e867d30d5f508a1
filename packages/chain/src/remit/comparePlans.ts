import type { Plan, PlanEnd, PlannedTransaction } from "@dueday/core/remit/plan";

/** The first difference between a simulated and a modelled plan: a transaction, or the end of the plan. */
export type PlanDifference = {
  /** Index of the first transaction that differs. Where only the ends of the plans differ, the number of transactions. */
  transaction: number;
  simulated: string;
  modelled: string;
};

type NotCompared = { notComparedBecause: string };

/**
 * How each field of T is compared: by the text that it gives. A field that is added to T fails to compile until it has an entry
 * here, be it the reason for not comparing it.
 */
type Comparisons<T> = { readonly [K in keyof T]-?: ((value: T[K]) => string) | NotCompared };

const planComparisons: Comparisons<Plan> = {
  end: (end: PlanEnd) => `ends ${end}`,
  revert: (revert: Plan["revert"]) => (revert === undefined ? "" : `with "${revert.code}"`),
  transactions: { notComparedBecause: "compared one by one, by transactionComparisons" },
  blockedBy: { notComparedBecause: "only a simulation that differs from the model has it" },
  source: { notComparedBecause: "one is simulated, the other modelled" },
  complete: { notComparedBecause: "an incomplete simulation is compared as far as it goes" },
  details: { notComparedBecause: "only the model has them" },
};

const transactionComparisons: Comparisons<PlannedTransaction> = {
  day: (day: number) => `day ${day},`,
  closesDays: (days: number[]) => `closes ${days.join(" ")},`,
  payments: (count: number) => `${count} payments,`,
  failures: (count: number) => `${count} failures,`,
  callerFees: (fees: PlannedTransaction["callerFees"]) =>
    `fees ${fees.map(({ token, units }) => `${units} of ${token}`).join(", ")}`,
  gas: { notComparedBecause: "the model does not know gas" },
};

/** Compares the plans as far as the simulation goes. Null where they agree. */
export function comparePlans(simulated: Plan, modelled: Plan): PlanDifference | null {
  const compared = simulated.transactions.length + (simulated.complete ? 1 : 0);
  for (let transaction = 0; transaction < compared; transaction++) {
    const texts = { simulated: describeAt(simulated, transaction), modelled: describeAt(modelled, transaction) };
    if (texts.simulated !== texts.modelled) return { transaction, ...texts };
  }
  return null;
}

/** The transaction with this index as text; after the last one, the end of the plan. */
function describeAt(plan: Plan, index: number): string {
  const transaction = plan.transactions[index];
  return transaction === undefined ? describe(plan, planComparisons) : describe(transaction, transactionComparisons);
}

/** The compared fields of `value` as text. */
function describe<T extends object>(value: T, comparisons: Comparisons<T>): string {
  const texts: string[] = [];
  for (const key in comparisons) {
    const compare = comparisons[key];
    if (typeof compare === "function") texts.push(compare(value[key]));
  }
  return texts.join(" ");
}

import type { Plan, PlanEnd, PlannedTransaction } from "@dueday/core/remit/plan";

/** The first difference between a simulated and a modelled plan: a transaction, or the end of the plan. */
export type PlanDifference = {
  /** Index of the first transaction that differs; the number of transactions where only the end does. */
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
  for (const [index, transaction] of simulated.transactions.entries()) {
    const other = modelled.transactions[index];
    const texts = {
      simulated: describe(transaction, transactionComparisons),
      modelled: other === undefined ? describe(modelled, planComparisons) : describe(other, transactionComparisons),
    };
    if (texts.simulated !== texts.modelled) return { transaction: index, ...texts };
  }
  if (!simulated.complete) return null;
  const transaction = simulated.transactions.length;
  const next = modelled.transactions[transaction];
  const texts = {
    simulated: describe(simulated, planComparisons),
    modelled: next === undefined ? describe(modelled, planComparisons) : describe(next, transactionComparisons),
  };
  return texts.simulated === texts.modelled ? null : { transaction, ...texts };
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

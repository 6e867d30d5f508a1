import type { Plan, PlannedTransaction } from "@dueday/core/remit/plan";
import type { ModelledPlan } from "@dueday/core/remit/planRemit";
import { fitGas, type GasPoint } from "./fitGas";

/** The simulated beginning and the model's rest, with gas fitted on the simulated transactions. */
export function continueWith(simulated: Plan, modelled: ModelledPlan): Plan {
  const { transactions } = simulated;
  const points = transactions.flatMap(({ payments, gas }) => (gas === null ? [] : [{ payments, gasUsed: gas.used }]));
  const rest = withFittedGas(modelled.transactions.slice(transactions.length), points);
  return { ...modelled, transactions: [...transactions, ...rest] };
}

function withFittedGas(transactions: readonly PlannedTransaction[], points: readonly GasPoint[]): PlannedTransaction[] {
  const fit = fitGas(points);
  return transactions.map((transaction) => ({
    ...transaction,
    gas: fit && { used: fit(transaction.payments), source: "fitted" },
  }));
}

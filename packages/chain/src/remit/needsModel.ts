import type { DueLists } from "../reads/readDueLists";
import type { SimulatedPlan } from "./simulatePlan";

/**
 * Whether a complete simulation leaves something open that only the model tells: who blocks it, or what became of a due id of a
 * closed day of which no payment was handled (cancelled, paused, empty, settled before, or missed).
 */
export function needsModel(plan: SimulatedPlan, listsOf: DueLists): boolean {
  if (plan.end === "blocked") return true;
  const handled = new Set<string>();
  for (const { handled: payments } of plan.transactions) {
    for (const { id, dayNumber } of payments) handled.add(`${dayNumber}:${id}`);
  }
  const closed = plan.transactions.flatMap(({ closesDays }) => closesDays);
  return closed.some((day) => listsOf(day).some(({ ids }) => ids.some((id) => !handled.has(`${day}:${id}`))));
}

import type { BatchCall, BatchSimulation } from "@dueday/chain/simulate/simulateBatch";
import { type Revert, ServiceError } from "@dueday/core/errors";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import type { Refusal } from "@dueday/core/reverts/refusal";

/** The 409 of a prepare that rules say no to: every rule as an issue, and what the contract would say first. */
export function notReady(refusals: readonly Refusal[]): ServiceError {
  const [first, ...others] = refusals;
  const more = others.length > 0 ? ` (and ${others.length} more, see issues)` : "";
  const revert = refusals.find((refusal) => refusal.revert !== undefined)?.revert;
  return new ServiceError("NOT_READY", `${first?.issue.message ?? "This can't be done now."}${more}`, {
    issues: refusals.map(({ issue }) => issue),
    ...(revert === undefined ? {} : { revert }),
  });
}

/** The 422 of a prepare that only the chain says no to. */
export function simulationFailed({ issue, revert }: Refusal): ServiceError {
  return new ServiceError("SIMULATION_FAILED", issue.message, {
    issues: [issue],
    ...(revert === undefined ? {} : { revert }),
  });
}

const OUT_OF_GAS: Revert = {
  code: "",
  name: "OUT_OF_GAS",
  message: "The transaction needs more gas than the chain's node allows; its token may be at fault.",
};

/** What made the simulation fail; null where it did not. */
export function simulationRefusal(
  calls: readonly (BatchCall & { title: string })[],
  { results }: BatchSimulation,
): Refusal | null {
  const index = results.findIndex((result) => !result.success);
  const failed = results[index];
  if (failed === undefined) return null;
  const revert = failed.outOfGas ? OUT_OF_GAS : (failed.revert ?? decodeRevert(undefined));
  const title = calls[index]?.title ?? "transaction";
  return { issue: { code: revert.name, message: `The simulation of ${title} failed: ${revert.message}` }, revert };
}

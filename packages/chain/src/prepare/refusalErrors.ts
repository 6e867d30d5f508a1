import { type Revert, ServiceError } from "@dueday/core/errors";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import type { Refusal } from "@dueday/core/reverts/refusal";
import type { BatchCall, BatchSimulation } from "../simulate/simulateBatch";

/** The 409 of a prepare that rules forbid: an issue for each rule, and the first revert of the contract. */
export function notReady(refusals: readonly Refusal[]): ServiceError {
  const [first, ...others] = refusals;
  const more = others.length > 0 ? ` (and ${others.length} more, see issues)` : "";
  const revert = refusals.find((refusal) => refusal.revert !== undefined)?.revert;
  return new ServiceError("NOT_READY", `${first?.issue.message ?? "This transaction can't succeed now."}${more}`, {
    issues: refusals.map(({ issue }) => issue),
    ...(revert === undefined ? {} : { revert }),
  });
}

/** The 422 of a prepare that no rule forbids and whose simulation fails. */
export function simulationFailed({ issue, revert }: Refusal): ServiceError {
  return new ServiceError("SIMULATION_FAILED", issue.message, {
    issues: [issue],
    ...(revert === undefined ? {} : { revert }),
  });
}

const OUT_OF_GAS: Revert = {
  code: "",
  name: "OUT_OF_GAS",
  message: "The transaction needs more gas than the chain's node allows; the cause may be its token.",
};

/** Why the simulation failed; null where it succeeded. */
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

import { tokenName } from "@dueday/core/amounts/tokenAmount";
import { ServiceError } from "@dueday/core/errors";
import type { Refusal } from "@dueday/core/refusal";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import { outOfGasRevert } from "@dueday/core/reverts/outOfGasRevert";
import { asTokenRevert } from "@dueday/core/reverts/tokenRevert";
import type { BatchSimulation } from "../simulate/simulateBatch";
import type { PlannedCall } from "./preparePlan";

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

/**
 * Why the simulation failed; null where it succeeded. The rules of the protocol were checked on the same block before, so a number of
 * the protocol counts as a token's own reason, unless `confirmUnchecked` has found that the protocol gave it. The message of any reason that
 * the protocol did not give names the token that the call moves.
 */
export function simulationRefusal(
  calls: readonly PlannedCall[],
  { results }: BatchSimulation,
  isProtocols = false,
): Refusal | null {
  const index = results.findIndex((result) => !result.success);
  const failed = results[index];
  if (failed === undefined) return null;
  const reverted = failed.revert ?? decodeRevert(undefined);
  const { title = "transaction", token } = calls[index] ?? {};
  const revert = failed.outOfGas ? outOfGasRevert : isProtocols ? reverted : asTokenRevert(reverted);
  const named = token === undefined || isProtocols ? "" : ` The token is ${tokenName(token)}.`;
  return {
    issue: { code: revert.name, message: `The simulation of ${title} failed: ${revert.message}${named}` },
    revert,
  };
}

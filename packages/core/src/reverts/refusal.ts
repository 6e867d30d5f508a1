import type { Issue, Revert } from "../errors";
import { reasonRevert } from "./reasonRevert";

/** A rule that says no before the chain is asked; `revert` is what the chain would say, where it says anything. */
export type Refusal = { issue: Issue; revert?: Revert };

/** The refusal that the protocol itself would make, by its number (protocol part 2). `message` says it with figures. */
export function protocolRefusal(code: string, message?: string): Refusal {
  const revert = reasonRevert(code);
  return { issue: { code: revert.name, message: message ?? revert.message }, revert };
}

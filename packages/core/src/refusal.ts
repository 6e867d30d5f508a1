import type { Issue } from "./errors";
import { type ProtocolRevertCode, protocolReverts } from "./reverts/protocolReverts";
import type { Revert } from "./reverts/revert";

/** A rule that is violated, found without a simulation; `revert` is the revert of the contract, where the contract has the rule too. */
export type Refusal = { issue: Issue; revert?: Revert };

/** The refusal for a revert of the protocol, by its number (protocol part 2). `message` replaces the general one. */
export function protocolRefusal(code: ProtocolRevertCode, message?: string): Refusal {
  const revert = protocolReverts[code];
  return { issue: { code: revert.name, message: message ?? revert.message }, revert: { code, ...revert } };
}

import { remit } from "@dueday/core/remit/remit";
import { openCall } from "@dueday/core/remit/remitCall";
import type { RemitState } from "@dueday/core/remit/state";
import { WorkingState } from "@dueday/core/remit/workingState";

/**
 * The state that `transactions` calls of remit() leave behind, at most as many as `planRemit` found. `state` is not changed.
 * Throws RemitRevert where one of them reverts.
 */
export function stateAfterRemits(state: RemitState, transactions: number): RemitState {
  const working = new WorkingState(state);
  for (let index = 0; index < transactions; index++)
    remit(openCall(working, index, { withEvents: false, withGas: false }));
  return working.toState();
}

import { panicRevert } from "../reverts/panicRevert";
import { reasonRevert } from "../reverts/reasonRevert";
import type { Revert } from "../reverts/revert";
import { tokenRevert } from "../reverts/tokenRevert";
import type { BlockedBy } from "./plan";

/** Where a call reverted. */
export type Culprit = Omit<BlockedBy, "revert">;

/** A call of remit() reverted. */
export class RemitRevert extends Error {
  override readonly name = "RemitRevert";

  constructor(
    readonly revert: Revert,
    readonly culprit?: Culprit,
  ) {
    super(`remit() reverts: ${revert.message}`);
  }
}

const PANIC_ARITHMETIC = 0x11n;

/** The revert of a call that has nothing to settle up to today. */
export function nothingToRemit(): RemitRevert {
  return new RemitRevert(reasonRevert("6"));
}

/** The revert of checked arithmetic that overflows. */
export function arithmeticPanic(culprit: Culprit): RemitRevert {
  return new RemitRevert(panicRevert(PANIC_ARITHMETIC), culprit);
}

/** A token refused a transfer with `reason`; "" where the model can't know the reason. */
export function transferRefused(reason: string, culprit: Culprit): RemitRevert {
  return new RemitRevert(tokenRevert(reason), culprit);
}

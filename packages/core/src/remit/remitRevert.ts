import type { Revert } from "../errors";
import { panicRevert } from "../reverts/panicRevert";
import { reasonRevert } from "../reverts/reasonRevert";
import type { BlockedBy } from "./plan";

/** What a call stumbled over. */
export type Culprit = Omit<BlockedBy, "revert">;

/** A call of remit() reverts: like on the chain, nothing of it stays. */
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

/** Checked arithmetic of the contract went out of its range. */
export function arithmeticPanic(culprit: Culprit): RemitRevert {
  return new RemitRevert(panicRevert(PANIC_ARITHMETIC), culprit);
}

/** A token refused a transfer with `reason`; "" where the model can't know the token's words. */
export function transferRefused(reason: string, culprit: Culprit): RemitRevert {
  return new RemitRevert(reasonRevert(reason), culprit);
}

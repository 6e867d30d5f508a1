import { isProtocolRevert } from "./protocolReverts";
import { reasonRevert } from "./reasonRevert";
import type { Revert } from "./revert";

/** The revert of a token with `reason`. A token may use one of the protocol's numbers: the number then does not have the protocol's meaning. */
export function tokenRevert(reason: string): Revert {
  return asTokenRevert(reasonRevert(reason));
}

/**
 * `revert` as that of a token, where the chain's state shows that the protocol itself did not revert: a number of the
 * protocol then is the token's own reason.
 */
export function asTokenRevert(revert: Revert): Revert {
  if (!isProtocolRevert(revert.code)) return revert;
  return {
    code: revert.code,
    name: "TOKEN_REASON",
    message: `A token reverted with "${revert.code}". The protocol has the same number, but its condition does not hold: the reason is the token's own.`,
  };
}

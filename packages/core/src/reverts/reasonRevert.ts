import { cleanText } from "../text/cleanText";
import { isProtocolRevert, protocolReverts } from "./protocolReverts";
import { REASON_LIMIT_BYTES } from "./reasonLimitBytes";
import type { Revert } from "./revert";

/** Decodes a reason string: one of the protocol's numbers, none (""), or a token's own text, cleaned and cut. */
export function reasonRevert(reason: string): Revert {
  if (reason === "") {
    return {
      code: "",
      name: "NO_REASON",
      message: "A contract reverted without a reason; a token that refuses the transfer often does.",
    };
  }
  if (isProtocolRevert(reason)) return { code: reason, ...protocolReverts[reason] };
  const text = cleanText(reason, REASON_LIMIT_BYTES).text;
  return ownReason(text);
}

/** The revert of a contract that is not the protocol, with a clean reason. */
export function ownReason(text: string): Revert {
  return { code: text, name: "TOKEN_REASON", message: `A contract reverted with its own reason: "${text}".` };
}

import { decodeErrorResult, type Hex, parseAbi } from "viem";
import { erc20Abi } from "../abi/erc20";
import { panicRevert } from "./panicRevert";
import { reasonRevert } from "./reasonRevert";
import type { Revert } from "./revert";
import { tokenErrors } from "./tokenErrors";

const standardErrors = parseAbi(["error Error(string)", "error Panic(uint256)"]);
const knownErrors = [...standardErrors, ...erc20Abi];

/**
 * Decodes the return data of a revert. `code` is the protocol's number, `Panic(n)`, the name of a custom error, a token's own
 * reason (untrusted text, cleaned and cut), the selector of an unknown error, or "" without a reason.
 */
export function decodeRevert(data: Hex | undefined): Revert {
  if (data === undefined || data === "0x") return reasonRevert("");
  try {
    const { errorName, args } = decodeErrorResult({ abi: knownErrors, data });
    if (errorName === "Error") return reasonRevert(args[0]);
    if (errorName === "Panic") return panicRevert(args[0]);
    return { code: errorName, name: errorName, message: tokenErrors[errorName] };
  } catch {
    // An unknown error: only its selector is known.
    return {
      code: data.slice(0, 10),
      name: "UNKNOWN_ERROR",
      message: "A contract reverted with an unknown error (the code is its selector).",
    };
  }
}

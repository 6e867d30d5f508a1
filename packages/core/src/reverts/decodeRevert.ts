import { decodeErrorResult, type Hex, parseAbi } from "viem";
import { erc20Abi } from "../abi/erc20";
import type { Revert } from "../errors";
import { panicRevert } from "./panicRevert";
import { reasonRevert } from "./reasonRevert";

const standardErrors = parseAbi(["error Error(string)", "error Panic(uint256)"]);
const knownErrors = [...standardErrors, ...erc20Abi];

const customErrors: Readonly<Record<string, string>> = {
  ERC20InsufficientBalance: "The wallet's token balance is too low for this transfer.",
  ERC20InsufficientAllowance:
    "The wallet's allowance is too low for this transfer; approve the protocol contract first.",
  ERC20InvalidSender: "The token refuses transfers from this address.",
  ERC20InvalidReceiver: "The token refuses transfers to this address.",
  ERC20InvalidApprover: "The token refuses approvals by this address.",
  ERC20InvalidSpender: "The token refuses approvals for this contract.",
  SafeERC20FailedOperation: "The token's transfer failed.",
};

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
    return { code: errorName, name: errorName, message: customErrors[errorName] ?? "The token refused the call." };
  } catch {
    // An unknown error: only its selector is known.
    return {
      code: data.slice(0, 10),
      name: "UNKNOWN_ERROR",
      message: "A contract reverted with an error that this service does not know (its selector is the code).",
    };
  }
}

import { decodeErrorResult, type Hex, parseAbi } from "viem";
import { erc20Abi } from "../abi/erc20";
import type { Revert } from "../errors";
import { cleanText } from "../text/cleanText";
import { panics, protocolReverts } from "./protocolReverts";

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

const REASON_LIMIT_BYTES = 200;

/**
 * What a call's return data says of its revert. `code` is the protocol's number, `Panic(n)`, the name of a custom error, a
 * token's own reason (text by strangers, cleaned and cut), the selector of an unknown error, or "" where no reason was given.
 */
export function decodeRevert(data: Hex | undefined): Revert {
  if (data === undefined || data === "0x") return reasonlessRevert;
  try {
    const { errorName, args } = decodeErrorResult({ abi: knownErrors, data });
    if (errorName === "Error") return revertReason(args[0]);
    if (errorName === "Panic") return panic(args[0]);
    return { code: errorName, name: errorName, message: customErrors[errorName] ?? "The token refused the call." };
  } catch {
    // Not one of the errors known here: the selector is all that can be said of it.
    return {
      code: data.slice(0, 10),
      name: "UNKNOWN_ERROR",
      message: "A contract reverted with an error unknown to this service.",
    };
  }
}

const reasonlessRevert: Revert = {
  code: "",
  name: "NO_REASON",
  message: "A contract reverted without a reason; a token that refuses the transfer often does.",
};

function revertReason(reason: string): Revert {
  if (reason === "") return reasonlessRevert;
  const known = protocolReverts[reason];
  if (known !== undefined) return { code: reason, ...known };
  const text = cleanText(reason, REASON_LIMIT_BYTES).text;
  return { code: text, name: "TOKEN_REASON", message: "A contract reverted with a reason of its own (see code)." };
}

function panic(code: bigint): Revert {
  const known = panics[code.toString()];
  return {
    code: `Panic(${code})`,
    name: known?.name ?? "PANIC",
    message: known?.message ?? "The contract met an internal error.",
  };
}

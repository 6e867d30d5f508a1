import { erc20Abi } from "@dueday/core/abi/erc20";
import { cleanText } from "@dueday/core/text/cleanText";
import { withoutTrailing } from "@dueday/core/text/withoutTrailing";
import { type Address, decodeAbiParameters, type Hex, hexToString, size } from "viem";
import { type ContractRead, contractRead } from "./contractRead";

const TEXT_LIMIT_BYTES = 64;

/** A token's symbol or name, cleaned and cut to 64 bytes; older tokens answer bytes32 instead of a string. */
export function tokenTextRead(token: Address, functionName: "symbol" | "name"): ContractRead<string> {
  const { to, data } = contractRead({ address: token, abi: erc20Abi, functionName, args: [] });
  return { to, data, decode: (returned) => cleanText(decodeText(returned), TEXT_LIMIT_BYTES).text };
}

/**
 * The token's own decimals. Where the protocol has a record of the token, the decimals of the record are used instead. Decoding throws
 * for more than a uint8, which viem does not check: texts and powers of ten would have as many digits as this number.
 */
export function tokenDecimalsRead(token: Address): ContractRead<number> {
  const { to, data, decode } = contractRead({ address: token, abi: erc20Abi, functionName: "decimals", args: [] });
  return {
    to,
    data,
    decode(returned) {
      const decimals = decode(returned);
      if (decimals > 255) throw new Error("decimals() returned more than a uint8");
      return decimals;
    },
  };
}

/** The symbol shown for a token that has none. */
export function shortAddress(token: Address): string {
  return `${token.slice(0, 6)}…${token.slice(-4)}`;
}

function decodeText(returned: Hex): string {
  if (size(returned) === 32) return withoutTrailing(hexToString(returned, { size: 32 }), "\0");
  return decodeAbiParameters([{ type: "string" }], returned)[0];
}

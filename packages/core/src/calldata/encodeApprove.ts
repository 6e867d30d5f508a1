import { type Address, encodeFunctionData, type Hex } from "viem";
import { erc20Abi } from "../abi/erc20";

/** Calldata of an ERC-20 approve(spender, value); `value` in token units. */
export function encodeApprove(spender: Address, value: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, value] });
}

import { encodeFunctionData, type Hex } from "viem";
import { protocolAbi } from "../abi/protocol";

/** Calldata of remit(): the bare selector. */
export function encodeRemit(): Hex {
  return encodeFunctionData({ abi: protocolAbi, functionName: "remit" });
}

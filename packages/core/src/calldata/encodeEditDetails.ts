import { encodeFunctionData, type Hex } from "viem";
import { protocolAbi } from "../abi/protocol";
import type { DetailsArgument } from "./subscriptionArgument";

/** Calldata of editDetails(Details, bytes32), called by the provider. */
export function encodeEditDetails(details: DetailsArgument, id: Hex): Hex {
  return encodeFunctionData({ abi: protocolAbi, functionName: "editDetails", args: [details, id] });
}

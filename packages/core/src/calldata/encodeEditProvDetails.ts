import { encodeFunctionData, type Hex } from "viem";
import { protocolAbi } from "../abi/protocol";

/** The `ProviderDetails` argument of editProvDetails. */
export type ProviderDetailsArgument = {
  description: string;
  company: string;
  url: string;
  domain: string;
  email: string;
  misc: string;
};

/** Calldata of editProvDetails(ProviderDetails): the caller's own profile. */
export function encodeEditProvDetails(details: ProviderDetailsArgument): Hex {
  return encodeFunctionData({ abi: protocolAbi, functionName: "editProvDetails", args: [details] });
}

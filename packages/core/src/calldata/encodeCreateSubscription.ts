import { type Address, encodeFunctionData, type Hex } from "viem";
import { protocolAbi } from "../abi/protocol";
import type { DetailsArgument } from "./subscriptionArgument";

export type CreateSubscriptionParameters = {
  /** 18 decimals */
  amount: bigint;
  token: Address;
  details: DetailsArgument;
  frequency: number;
  dueDay: number;
};

/** Calldata of createSubscription(...), called by the provider. */
export function encodeCreateSubscription(parameters: CreateSubscriptionParameters): Hex {
  const { amount, token, details, frequency, dueDay } = parameters;
  return encodeFunctionData({
    abi: protocolAbi,
    functionName: "createSubscription",
    args: [amount, token, details, frequency, dueDay],
  });
}

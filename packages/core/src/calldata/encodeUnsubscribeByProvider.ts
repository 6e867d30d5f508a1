import { type Address, encodeFunctionData, type Hex } from "viem";
import { protocolAbi } from "../abi/protocol";
import type { SubscriptionArgument } from "./subscriptionArgument";

/** Calldata of unsubscribeByProvider(Subscription, address), called by the provider. */
export function encodeUnsubscribeByProvider(subscription: SubscriptionArgument, subscriber: Address): Hex {
  return encodeFunctionData({
    abi: protocolAbi,
    functionName: "unsubscribeByProvider",
    args: [subscription, subscriber],
  });
}

import { encodeFunctionData, type Hex } from "viem";
import { protocolAbi } from "../abi/protocol";
import type { SubscriptionArgument } from "./subscriptionArgument";

/** Calldata of cancelSubscription(Subscription), called by the provider. */
export function encodeCancelSubscription(subscription: SubscriptionArgument): Hex {
  return encodeFunctionData({ abi: protocolAbi, functionName: "cancelSubscription", args: [subscription] });
}

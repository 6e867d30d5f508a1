import { encodeFunctionData, type Hex } from "viem";
import { protocolAbi } from "../abi/protocol";
import type { SubscriptionArgument } from "./subscriptionArgument";

/** Calldata of unsubscribe(Subscription), called by the subscriber. */
export function encodeUnsubscribe(subscription: SubscriptionArgument): Hex {
  return encodeFunctionData({ abi: protocolAbi, functionName: "unsubscribe", args: [subscription] });
}

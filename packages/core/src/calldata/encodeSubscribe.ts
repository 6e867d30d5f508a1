import { encodeFunctionData, type Hex } from "viem";
import { protocolAbi } from "../abi/protocol";
import type { SubscriptionArgument } from "./subscriptionArgument";

/** Calldata of subscribe(Subscription). */
export function encodeSubscribe(subscription: SubscriptionArgument): Hex {
  return encodeFunctionData({ abi: protocolAbi, functionName: "subscribe", args: [subscription] });
}

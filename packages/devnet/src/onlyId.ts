import type { SubscriptionArgument } from "@dueday/core/calldata/subscriptionArgument";
import { type Hex, zeroAddress } from "viem";

/** A `Subscription` argument with only the id set; the contract reads no other field of it. */
export function onlyId(id: Hex): SubscriptionArgument {
  return { id, amount: 0n, provider: zeroAddress, token: zeroAddress, cancelled: false, frequency: 0, dueDay: 0 };
}

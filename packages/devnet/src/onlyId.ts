import type { SubscriptionArgument } from "@dueday/core/calldata/subscriptionArgument";
import { type Hex, zeroAddress } from "viem";

/** A `Subscription` argument with nothing but the id, which is all that the contract reads of it. */
export function onlyId(id: Hex): SubscriptionArgument {
  return { id, amount: 0n, provider: zeroAddress, token: zeroAddress, cancelled: false, frequency: 0, dueDay: 0 };
}

import { type Static, Type } from "@sinclair/typebox";
import { Address } from "../schema";
import { StatusLabel, SubscriptionStatus } from "../subscriptionStatus";
import { FeeBalance } from "./feeBalance";

/** An active subscriber of a subscription. */
export const Subscriber = Type.Object({
  subscriber: Address,
  ...FeeBalance.properties,
  status: SubscriptionStatus,
  statusLabel: StatusLabel,
  allowanceCovers: Type.Boolean({ description: "The allowance for the contract is enough for one more payment" }),
  balanceCovers: Type.Boolean({ description: "The balance is enough for one more payment" }),
});
export type Subscriber = Static<typeof Subscriber>;

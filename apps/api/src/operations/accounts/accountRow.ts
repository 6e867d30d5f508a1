import { presentSubscription } from "@dueday/chain/reads/presentSubscription";
import type { AccountRow } from "@dueday/chain/reads/readAccountRows";
import { saturate } from "@dueday/core/amounts/saturate";
import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import { Subscription } from "@dueday/core/schema";
import { StatusLabel, SubscriptionStatus, statusLabel } from "@dueday/core/subscriptionStatus";
import { type Static, Type } from "@sinclair/typebox";

/** A row of an account: a subscription and how the account stands to it. */
export const SubscriptionRow = Type.Object({
  subscription: Subscription,
  status: SubscriptionStatus,
  statusLabel: StatusLabel,
  totalSubscribers: Type.Integer({
    minimum: 0,
    description: "Size of the subscriber set; who left while a remit was half way through it still counts",
  }),
});
export type SubscriptionRow = Static<typeof SubscriptionRow>;

export function presentRow({ record, status, totalSubscribers }: AccountRow, token: TokenInfo): SubscriptionRow {
  return {
    subscription: presentSubscription(record, token),
    status,
    statusLabel: statusLabel(status),
    totalSubscribers: saturate(totalSubscribers),
  };
}

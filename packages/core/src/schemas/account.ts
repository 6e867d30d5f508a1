import { type Static, Type } from "@sinclair/typebox";
import { CalendarDate, Count, described, StatusLabel, Subscription, SubscriptionStatus } from "../schema";
import { Hindrance, paymentCoverage } from "./coverage";
import { FeeBalance } from "./feeBalance";

/** A subscription of an account, with the account's status in it. */
export const SubscriptionRow = Type.Object({
  subscription: Subscription,
  status: SubscriptionStatus,
  statusLabel: StatusLabel,
  totalSubscribers: described(
    Count,
    "Size of the subscriber set; subscribers who left while a remit was half way still count",
  ),
});
export type SubscriptionRow = Static<typeof SubscriptionRow>;

const nextDueDate = Type.Union(CalendarDate.anyOf, {
  description:
    "The next day on which remit() charges: the first due day that is not closed, a past one where remit() is late. Null where there " +
    "is no charge to come: cancelled, left, or the token paused",
});

/** A subscription that an account created. */
export const CreatedRow = Type.Composite([SubscriptionRow, Type.Object({ nextDueDate })]);

/** A subscription that an account subscribed to. */
export const SubscribedRow = Type.Composite([
  SubscriptionRow,
  FeeBalance,
  Type.Object({ nextDueDate, ...paymentCoverage, hindrance: Hindrance }),
]);

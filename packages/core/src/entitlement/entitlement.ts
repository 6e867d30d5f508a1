import { type Static, Type } from "@sinclair/typebox";
import { Address, Bytes32, CalendarDate, Instant, Nullable } from "../schema";
import { paymentCoverage } from "../schemas/coverage";

export const EntitlementState = Type.Union(
  (["active", "past_due", "failed", "removed", "unsubscribed", "cancelled", "never"] as const).map((state) =>
    Type.Literal(state),
  ),
  {
    description:
      "past_due: a charge is due and no remit() has tried it yet. failed: a charge failed, which unsubscribes. removed: by the provider. " +
      "unsubscribed: by the subscriber. cancelled: the provider cancelled the subscription. never: the account never subscribed",
  },
);
export type EntitlementState = Static<typeof EntitlementState>;

/** Whether an account may use what it subscribed to, without the fields of chain and block. */
export const EntitlementView = Type.Object({
  id: Bytes32,
  account: Address,
  entitled: Type.Boolean({
    description:
      "active and past_due: true. unsubscribed and cancelled: true until the end of paidThroughDate. Otherwise false",
  }),
  state: EntitlementState,
  since: Nullable({ ...Instant, description: "When the account last subscribed" }),
  lastPaymentAt: Nullable({ ...Instant, description: "Time of the account's last charge that succeeded" }),
  paidThroughDate: {
    ...CalendarDate,
    description: "The day before the first due day after the day for which the account last paid",
  },
  nextDueDate: {
    ...CalendarDate,
    description:
      "Next day on which remit() charges; null when nothing will be charged: the account left or never subscribed, the subscription is cancelled, or the token is paused",
  },
  coveredPayments: paymentCoverage.coveredPayments,
  failsOn: paymentCoverage.failsOn,
  cause: paymentCoverage.cause,
});
export type EntitlementView = Static<typeof EntitlementView>;

import { Count, DecimalString, IntegerString, Subscription } from "@dueday/core/schema";
import { type Static, Type } from "@sinclair/typebox";
import { preflight } from "../prepare/preflight";

/** What subscribing means for one wallet. All amounts are of the subscription's token. */
export const subscribeFacts = {
  needsApproval: Type.Boolean({
    description: "The allowance is below the amount: prepare adds an approve transaction",
  }),
  allowance: DecimalString,
  allowanceRaw: IntegerString,
  balance: DecimalString,
  balanceRaw: IntegerString,
  requiredAmount: Type.Unsafe<Static<typeof DecimalString>>({
    ...DecimalString,
    description: "The contract wants allowance and balance to be at least this: one whole period",
  }),
  requiredAmountRaw: IntegerString,
  tokenDecimals: Type.Integer({ minimum: 0, maximum: 255 }),
  initialCharge: Type.Object(
    {
      total: DecimalString,
      totalRaw: IntegerString,
      toFeeBalance: DecimalString,
      toFeeBalanceRaw: IntegerString,
      toProvider: DecimalString,
      toProviderRaw: IntegerString,
      tokenDecimals: Type.Integer({ minimum: 0, maximum: 255 }),
    },
    { description: "What subscribe() takes at once, on the day of asOf" },
  ),
  dueBeforeToday: Type.Integer({
    minimum: 0,
    description: "Whole amounts that a late remit() will still take: due days from nextUncheckedDay to today",
  }),
  runway: Type.Object(
    { periodsByAllowance: Count, periodsByBalance: Count },
    { description: "Whole periods that the present allowance and balance pay for after the initial charge" },
  ),
  subscription: Subscription,
};

const SubscribeFacts = Type.Object(subscribeFacts);
export type SubscribeFacts = Static<typeof SubscribeFacts>;

export const SubscribeReadiness = preflight(subscribeFacts);
export type SubscribeReadiness = Static<typeof SubscribeReadiness>;

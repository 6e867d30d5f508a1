import { type Static, Type } from "@sinclair/typebox";
import { CalendarDate, Count, DecimalString, described, Subscription, TokenDecimals, TokenUnits } from "../schema";
import { preflight } from "./preflight";

/** What decides whether a wallet can subscribe, and what it pays. All amounts are of the subscription's token. */
export const subscribeFacts = {
  needsApproval: Type.Boolean({
    description:
      "The allowance is below the amount of one period: without an approve transaction subscribe() would revert",
  }),
  includesApproval: Type.Boolean({
    description:
      "The transactions of prepare begin with an approve: because it is needed, or because approvalPeriods or infiniteApproval asks for more",
  }),
  allowance: DecimalString,
  allowanceRaw: TokenUnits,
  balance: DecimalString,
  balanceRaw: TokenUnits,
  requiredAmount: described(DecimalString, "Allowance and balance must be at least this: the amount of one period"),
  requiredAmountRaw: TokenUnits,
  tokenDecimals: TokenDecimals,
  initialCharge: Type.Object(
    {
      total: DecimalString,
      totalRaw: TokenUnits,
      toFeeBalance: DecimalString,
      toFeeBalanceRaw: TokenUnits,
      toProvider: DecimalString,
      toProviderRaw: TokenUnits,
      tokenDecimals: TokenDecimals,
    },
    { description: "Taken by subscribe() at once, on the day of asOf" },
  ),
  dueBeforeToday: described(
    Count,
    "Number of due days up to today for which a late remit() will still charge one amount each",
  ),
  nextChargeDate: {
    ...CalendarDate,
    description: "Due date of the first charge after the initial one; past where remit() is late",
  },
  nextChargeAmount: { ...DecimalString, description: "What that charge takes: the amount of one period" },
  nextChargeAmountRaw: { ...TokenUnits, description: "The same in token units" },
  runway: Type.Object(
    { periodsByAllowance: Count, periodsByBalance: Count },
    {
      description:
        "Charges after the initial one that the present allowance and balance cover, at most 120, together with all else that the wallet pays in the token",
    },
  ),
  subscription: Subscription,
};

const SubscribeFacts = Type.Object(subscribeFacts);
export type SubscribeFacts = Static<typeof SubscribeFacts>;

export const SubscribeReadiness = preflight(subscribeFacts);
export type SubscribeReadiness = Static<typeof SubscribeReadiness>;

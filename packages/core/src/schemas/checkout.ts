import { type Static, Type } from "@sinclair/typebox";
import { chargeReasons } from "../calendar/initialCharge";
import { Issues, Warnings } from "../errors";
import { Address, CalendarDate, Count, DecimalString, Nullable, oneOf, Subscription, TokenUnits } from "../schema";
import { subscribeFacts } from "./subscribeReadiness";

const { initialCharge, dueBeforeToday, nextChargeDate, nextChargeAmount, nextChargeAmountRaw, ...ofWallet } =
  subscribeFacts;
const { subscription: _, includesApproval: __, ...wallet } = ofWallet;
const { tokenDecimals } = wallet;

/** What a checkout shows about the connected payer. */
export const CheckoutPayer = Type.Object({
  account: Address,
  standing: oneOf(
    ["active", "unsubscribed", "stranger"],
    "active: pays already. unsubscribed: left, was removed by the provider or failed to pay, and may subscribe again. stranger: never subscribed, or removed by the protocol's janitor",
  ),
  ready: Type.Boolean({
    description: "No rule forbids subscribing. A low allowance does not count: the checkout approves first",
  }),
  ...wallet,
  issues: Issues,
  warnings: Warnings,
});

/** What is approved before subscribing. The allowance also serves all other plans that the wallet pays in the token. */
const CheckoutApproval = Type.Object({ amount: DecimalString, amountRaw: TokenUnits, tokenDecimals });

/** How many charges after the initial one the wallet's approval and balance cover. */
const CheckoutCover = Type.Object({
  charges: { ...Count, description: "Charges of this plan that will succeed after the initial charge, at most 120" },
  lastDate: { ...CalendarDate, description: "Due date of the last of them; null where there is none" },
  endedBy: oneOf(
    ["approval", "balance"],
    "Which of approval and balance covers fewer charges; approval where both cover as many",
  ),
});

/** What subscribing to a plan costs now, and whether a wallet can subscribe. Amounts are of the subscription's token. */
export const checkoutTerms = {
  subscription: Subscription,
  closed: Nullable(
    oneOf(["cancelled", "token_paused", "not_payable"], "Why it takes no new subscribers; null while it is open"),
  ),
  tokenDecimals,
  initialCharge,
  chargeReason: oneOf(
    chargeReasons,
    "prorated: for the days up to the next due day. whole_period: today is the due day. keeper_fee: only what a keeper is paid for a payment",
  ),
  dueBeforeToday,
  nextChargeDate,
  nextChargeAmount,
  nextChargeAmountRaw,
  approval: {
    ...Nullable(CheckoutApproval),
    description:
      "What subscribing with approvalPeriods approves, in all; null where the allowance is enough, and for a payer who is subscribed",
  },
  cover: {
    ...CheckoutCover,
    description:
      "How many later charges the approval and the balance cover, after subscribing with approval; without the input account the balance is not known, and only the approval counts",
  },
  payer: {
    ...Nullable(CheckoutPayer),
    description: "The wallet that the input account names; null where the input is absent",
  },
};

const CheckoutTerms = Type.Object(checkoutTerms);
export type CheckoutTerms = Static<typeof CheckoutTerms>;

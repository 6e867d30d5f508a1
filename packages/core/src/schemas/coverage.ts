import { type Static, Type } from "@sinclair/typebox";
import { CalendarDate, Count, described, Nullable } from "../schema";

export const FailureCause = Type.Union([Type.Literal("allowance"), Type.Literal("balance")]);

/** Whether the coming charges of a subscriber succeed, computed together with all plans that share its allowance and balance. */
export const paymentCoverage = {
  allowanceCovers: Type.Boolean({
    description: "The allowance for the contract is enough when this plan's next charge is made",
  }),
  balanceCovers: Type.Boolean({ description: "The balance is enough when this plan's next charge is made" }),
  coveredPayments: described(
    Count,
    "Coming charges of this plan that pass before the first that fails, at most 120; all plans of the account in the token are counted together",
  ),
  failsOn: { ...CalendarDate, description: "Due date of the first charge that fails; null where none is foreseen" },
  cause: {
    ...Nullable(FailureCause),
    description: "What that charge has too little of; the contract checks the allowance first",
  },
  estimated: Type.Boolean({
    description:
      "The figures look further than what is modelled exactly (400 days, fewer where remit() stops), or the chain's node did not give the contract's state in time: then they count the account's own charges by date, without income",
  }),
};

const PaymentCoverage = Type.Object(paymentCoverage);
export type PaymentCoverage = Static<typeof PaymentCoverage>;

const hindrances = Type.Union([Type.Literal("token_paused"), Type.Literal("token_refuses")]);

export const Hindrance = {
  ...Nullable(hindrances),
  description:
    "token_paused: the protocol has paused the token, so due days close unpaid. token_refuses: the token refuses this transfer, which " +
    "blocks remit() for everybody. Neither is a failed payment",
};
export type Hindrance = Static<typeof hindrances> | null;

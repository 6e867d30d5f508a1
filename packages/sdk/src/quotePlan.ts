import { formatUnits, parseAmount } from "@dueday/core/amounts/decimalText";
import { planName } from "@dueday/core/amounts/planName";
import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { countDueDays } from "@dueday/core/calendar/countDueDays";
import { dayToDate } from "@dueday/core/calendar/dates";
import { initialCharge } from "@dueday/core/calendar/initialCharge";
import { nextChargeDay } from "@dueday/core/calendar/nextChargeDay";
import { nextDueDay } from "@dueday/core/calendar/nextDueDay";
import type { Operations } from "./operationTypes";

type Checkout = Operations["getCheckout"]["output"];
type ProtocolState = Operations["getProtocolState"]["output"];
type Token = Operations["listApprovedTokens"]["output"]["tokens"][number];

export type QuotePlanParameters = {
  /** In whole tokens, such as "12.50". */
  amount: string;
  /** As `listApprovedTokens` has it. */
  token: Pick<Token, "symbol" | "decimals">;
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
  frequency: 0 | 1 | 2 | 3;
  /** 1..7 weekly, 1..28 monthly, 1..90 quarterly, 1..365 yearly. */
  dueDay: number;
  /** Its first line is the plan's name. */
  description: string;
  /** The answer of `getProtocolState`. */
  state: Pick<ProtocolState, "currentDay" | "nextUncheckedDay" | "callerFee">;
  /** Charges of due days after today that the payer approves; those that a late remit still takes (`dueBeforeToday`) are added. */
  approvalPeriods: number;
};

/** The part of `getCheckout`'s answer to a payer who is not connected that follows from {@link QuotePlanParameters}. */
export type PlanQuote = Pick<
  Checkout,
  "planName" | "chargeReason" | "dueBeforeToday" | "nextChargeDate" | "nextChargeAmount" | "approval" | "cover"
> & {
  subscription: Pick<Checkout["subscription"], "amount" | "tokenSymbol" | "frequency">;
  initialCharge: Pick<Checkout["initialCharge"], "total">;
};

/**
 * What the checkout of a plan will show once it is created: for a preview beside a form. It sends no request. While remit() is late, it counts
 * every late due day; the checkout, which models the open days, leaves out those on which remit() would pass over the plan.
 *
 * @throws RangeError where the amount is not a decimal number that the token can express
 */
export function quotePlan(parameters: QuotePlanParameters): PlanQuote {
  const { token, frequency, dueDay, description, state, approvalPeriods } = parameters;
  const parsed = parseAmount(parameters.amount, token.decimals);
  if ("fault" in parsed) throw new RangeError(`amount ${parsed.message}`);
  const { amount } = parsed;
  const { currentDay: today, nextUncheckedDay } = state;
  const callerFee = BigInt(state.callerFee);
  const charge = initialCharge({ amount, frequency, dueDay, callerFee, today, nextUncheckedDay });
  const units = (each: bigint) => toTokenUnits(each, token.decimals);
  // The contract converts each part on its own.
  const total = units(charge.toFeeBalance) + units(charge.toProvider);
  const late = countDueDays({ frequency, dueDay, from: nextUncheckedDay, to: today });
  const charges = approvalPeriods + late;
  const needed = total + BigInt(charges) * units(amount);
  // The contract asks for a whole period, whatever the first charge is.
  const approval = needed > units(amount) ? needed : units(amount);
  const nextDay = nextChargeDay({ frequency, dueDay, nextUncheckedDay });
  let lastDay = nextDay;
  for (let each = 1; each < charges; each++) lastDay = nextDueDay(frequency, dueDay, lastDay + 1);
  const price = formatUnits(units(amount), token.decimals);
  return {
    planName: planName({ description, amount, frequency, token }),
    subscription: { amount: price, tokenSymbol: token.symbol, frequency },
    initialCharge: { total: formatUnits(total, token.decimals) },
    chargeReason: charge.reason,
    dueBeforeToday: late,
    nextChargeDate: dayToDate(nextDay),
    nextChargeAmount: price,
    approval: amountFields(approval, token.decimals),
    cover: { charges, lastDate: charges === 0 ? null : dayToDate(lastDay), endedBy: "approval" },
  };
}

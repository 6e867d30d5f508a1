import { type Static, Type } from "@sinclair/typebox";
import { listOf } from "../paging";
import {
  Address,
  Bytes32,
  CalendarDate,
  DecimalString,
  described,
  FrequencyLabel,
  TokenAmount,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "../schema";
import { FailureCause, Hindrance, paymentCoverage } from "./coverage";

/** An amount under its own name, in whole tokens and in token units. */
const amountPair = <const N extends string>(name: N, description: string) =>
  ({
    [name]: described(DecimalString, description),
    [`${name}Raw`]: described(TokenUnits, `${description}; token units`),
  }) as Record<N, typeof DecimalString> & Record<`${N}Raw`, typeof TokenUnits>; // computed keys lose their names in TypeScript

const HealthToken = Type.Object({
  token: Address,
  symbol: UntrustedText,
  tokenDecimals: TokenDecimals,
  ...amountPair("allowance", "What the contract may take now"),
  ...amountPair("balance", "What the account holds now"),
  ...amountPair("due", "All charges of the account in the window, those that fail included"),
  coveredUntilDate: described(CalendarDate, "Every charge up to this date passes; null where no failure is foreseen"),
  ...amountPair("missingAllowance", "What the allowance lacks for all charges in the window"),
  ...amountPair("missingBalance", "What the balance lacks for all charges in the window, income counted"),
});

const { allowanceCovers: _, balanceCovers: __, ...planCoverage } = paymentCoverage;

const HealthPlan = Type.Object({
  id: Bytes32,
  name: described(UntrustedText, "First line of the description, or amount and period; text by the provider"),
  token: Address,
  tokenSymbol: UntrustedText,
  amount: DecimalString,
  amountRaw: TokenUnits,
  tokenDecimals: TokenDecimals,
  frequencyLabel: FrequencyLabel,
  nextDueDate: described(CalendarDate, "The next day on which remit() charges; null while the token is paused"),
  ...planCoverage,
  hindrance: Hindrance,
});

const HealthFailure = Type.Object({
  date: described(CalendarDate, "Due date of the charge"),
  id: Bytes32,
  cause: described(FailureCause, "What is missing"),
  token: Address,
  ...amountPair("missing", "How much is missing once all earlier failures are repaired"),
  tokenDecimals: TokenDecimals,
});

/** Whether an account's coming charges pass, and what makes them pass. */
export const AccountHealthView = Type.Object({
  account: Address,
  days: Type.Integer({
    minimum: 1,
    maximum: 400,
    description: "Days after today that due, failures and repair cover",
  }),
  tokens: listOf(HealthToken),
  plans: described(listOf(HealthPlan), "All that the account pays"),
  failures: described(
    listOf(HealthFailure),
    "Every charge that fails in the window, each as if those before were cured",
  ),
  repair: Type.Object(
    {
      approve: described(listOf(TokenAmount), "Allowances to set"),
      topUp: described(listOf(TokenAmount), "Tokens to add to the balance"),
    },
    { description: "After both, no charge fails in the window" },
  ),
});
export type AccountHealthView = Static<typeof AccountHealthView>;

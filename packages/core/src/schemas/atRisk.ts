import { type Static, Type } from "@sinclair/typebox";
import { pagedListOf, pageFields } from "../paging";
import {
  Address,
  Bytes32,
  DecimalString,
  described,
  FrequencyLabel,
  PositiveCount,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "../schema";
import { paymentCoverage } from "./coverage";

const Horizon = Type.Object({
  frequencyLabel: FrequencyLabel,
  horizonDays: described(PositiveCount, "Days after today: one whole period of such a subscription"),
});

/** A subscriber with a coming charge that fails. */
const AtRiskRow = Type.Object({
  id: { ...Bytes32, description: "Id of the subscription" },
  subscriber: Address,
  token: Address,
  tokenSymbol: UntrustedText,
  amount: { ...DecimalString, description: "One payment, in whole tokens" },
  amountRaw: { ...TokenUnits, description: "One payment, in token units" },
  tokenDecimals: TokenDecimals,
  frequencyLabel: FrequencyLabel,
  ...paymentCoverage,
});

/** A page of a provider's subscribers that are at risk. */
export const AtRiskView = Type.Object({
  provider: Address,
  horizons: Type.Array(Horizon, {
    maxItems: 4,
    description: "How far ahead a failing charge puts a subscriber at risk",
  }),
  atRisk: described(pagedListOf(AtRiskRow), "The next failure first"),
  ...pageFields,
});
export type AtRiskView = Static<typeof AtRiskView>;

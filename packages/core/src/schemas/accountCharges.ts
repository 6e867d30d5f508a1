import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../paging";
import {
  Address,
  Bytes32,
  CalendarDate,
  DecimalString,
  Nullable,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "../schema";
import { FailureCause } from "./coverage";
import { PlanName, Seller } from "./seller";

/** One coming charge of an account. */
const ComingCharge = Type.Object({
  date: { ...CalendarDate, description: "Due date, UTC; in the past while remit() is late" },
  id: Bytes32,
  planName: PlanName,
  seller: Seller,
  provider: Address,
  token: Address,
  tokenSymbol: UntrustedText,
  amount: DecimalString,
  amountRaw: TokenUnits,
  tokenDecimals: TokenDecimals,
  lacks: {
    ...Nullable(FailureCause),
    description: "Why it will fail once all earlier failures are repaired; null where it passes",
  },
});

/** The most charges of a page. */
export const CHARGES_LIMIT = 1_000;

/** A page of what an account will be charged, one entry for each charge. */
export const AccountChargesView = Type.Object({
  account: Address,
  days: Type.Integer({ minimum: 1, maximum: 400, description: "Days after today that are listed" }),
  charges: Type.Array(ComingCharge, {
    maxItems: CHARGES_LIMIT,
    description: "In the order in which remit() makes them",
  }),
  ...pageFields,
});
export type AccountChargesView = Static<typeof AccountChargesView>;

import { type Static, Type } from "@sinclair/typebox";
import { listOf } from "../paging";
import {
  Address,
  Bytes32,
  Count,
  DayNumber,
  DecimalString,
  described,
  IntegerString,
  PositiveCount,
  TokenAmount,
  TokenDecimals,
  TokenUnits,
  Uuid,
} from "../schema";
import { PlanView, RemitTotals, SAVED_PAYMENTS } from "./plan";

/** A kept permit that saves payments of a plan, without its signature. */
export const SavingPermitView = Type.Object({
  id: described(Uuid, "UUID of the permit"),
  token: Address,
  owner: Address,
  value: described(DecimalString, "The allowance that it sets, in whole tokens"),
  valueRaw: described(TokenUnits, "The same in token units"),
  tokenDecimals: TokenDecimals,
  deadline: described(IntegerString, "Unix seconds until which it can be submitted"),
  payments: described(PositiveCount, "Payments of its owner that are paid only after it"),
  saves: Type.Array(
    Type.Object({
      transaction: described(Count, "Index of the transaction in afterPermits"),
      id: Bytes32,
      dayNumber: DayNumber,
    }),
    { maxItems: SAVED_PAYMENTS, description: "The first of these payments" },
  ),
  callerFee: described(TokenAmount, "What the caller earns more for its owner's payments"),
});

/** Kept permits that save failing payments of a plan. */
export const SavingPermits = described(
  listOf(SavingPermitView),
  "Kept permits that save failing payments of this plan",
);

/** The plan after these permits; null without any. */
export const AfterPermits = Type.Union(
  [Type.Composite([PlanView, Type.Object({ totals: RemitTotals })]), Type.Null()],
  {
    description:
      "The plan after these permits; null without any. The plan itself, and every other figure, is without them",
  },
);

/** What kept permits would change in a plan, if they were submitted before it. */
const PermitPlan = Type.Object({ permits: SavingPermits, afterPermits: AfterPermits });
export type PermitPlan = Static<typeof PermitPlan>;

import { type Static, Type } from "@sinclair/typebox";
import { Address, Bytes32, DayNumber, DecimalString, IntegerString, TokenAmount } from "../schema";
import { PlanView, RemitTotals } from "./plan";

/** Payments listed for each permit at most; `payments` counts all. */
export const SAVED_PAYMENTS = 20;

/** A kept permit that saves payments of a plan, without its signature. */
export const SavingPermitView = Type.Object({
  id: Type.String({ description: "UUID of the permit" }),
  token: Address,
  owner: Address,
  value: Type.Unsafe<string>({ ...DecimalString, description: "The allowance that it sets, in whole tokens" }),
  valueRaw: Type.Unsafe<string>({ ...IntegerString, description: "The same in token units" }),
  deadline: Type.Unsafe<string>({ ...IntegerString, description: "Unix seconds until which it can be submitted" }),
  payments: Type.Integer({ minimum: 1, description: "Payments of its owner that are paid only after it" }),
  saves: Type.Array(
    Type.Object({
      transaction: Type.Integer({ minimum: 0, description: "Index of the transaction in afterPermits" }),
      id: Bytes32,
      dayNumber: DayNumber,
    }),
    { description: `The first ${SAVED_PAYMENTS} of these payments` },
  ),
  callerFee: Type.Unsafe<Static<typeof TokenAmount>>({
    ...TokenAmount,
    description: "What the caller earns more for its owner's payments",
  }),
});

/** What kept permits would change in a plan, where they were submitted before it. */
export const permitPlan = {
  permits: Type.Array(SavingPermitView, {
    description: "Kept permits that save failing payments of this plan",
  }),
  afterPermits: Type.Union([Type.Object({ ...PlanView.properties, totals: RemitTotals }), Type.Null()], {
    description:
      "The plan after these permits; null without any. The plan itself, and every other figure, is without them",
  }),
};

const PermitPlan = Type.Object(permitPlan);
export type PermitPlan = Static<typeof PermitPlan>;

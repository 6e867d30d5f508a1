import { type Static, Type } from "@sinclair/typebox";
import { Revert } from "../errors";
import { Address, Bytes32, Count, DayNumber, IntegerString, TokenAmount } from "../schema";
import { PlanEnd } from "./plan";

/** One planned transaction in an answer. */
export const PlannedTransactionView = Type.Object({
  index: Count,
  closesDays: Type.Array(DayNumber, { description: "Every day that it finishes, empty days included" }),
  payments: Count,
  failures: Count,
  gasUsed: Type.Optional(IntegerString),
  callerFees: Type.Array(TokenAmount),
});
export type PlannedTransactionView = Static<typeof PlannedTransactionView>;

/** A plan in an answer: the transactions listed may be fewer than it has. */
export const PlanView = Type.Object({
  source: Type.Union([Type.Literal("simulated"), Type.Literal("modelled")]),
  complete: Type.Boolean(),
  end: PlanEnd,
  transactions: Type.Array(PlannedTransactionView),
});
export type PlanView = Static<typeof PlanView>;

/** What stops a blocked plan, as far as it is known. */
export const BlockedByView = Type.Object({
  id: Type.Optional(Bytes32),
  subscriber: Type.Optional(Address),
  token: Type.Optional(Address),
  revert: Revert,
});
export type BlockedByView = Static<typeof BlockedByView>;

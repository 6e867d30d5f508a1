import { type Static, Type } from "@sinclair/typebox";
import type { Address, Hex } from "viem";
import type { Revert } from "../errors";

/**
 * How a plan ends. `caught_up`: the next call reverts with 6. `blocked`: it reverts otherwise. `no_progress`: it succeeds and
 * changes nothing, for ever. `limit`: the plan goes on beyond what could be planned.
 */
export const PlanEnd = Type.Union([
  Type.Literal("caught_up"),
  Type.Literal("blocked"),
  Type.Literal("no_progress"),
  Type.Literal("limit"),
]);
export type PlanEnd = Static<typeof PlanEnd>;

/** What one call of remit() does. It closes any number of empty days, then settles one day or a page of it. */
export type PlannedTransaction = {
  /** Every day number that it finishes, empty days included, in order. */
  closesDays: number[];
  /** The day whose payments it settles: that of its last CallerLog. */
  day: number;
  /** Payments handled, failures included (Coordinates events). */
  payments: number;
  failures: number;
  /** What the caller receives, token units by token, in the order of first receipt. A sent zero is there; nothing sent is not. */
  callerFees: { token: Address; units: bigint }[];
  /** Absent where the plan was modelled without a fit on simulated gas. */
  gasUsed?: bigint;
};

/** A due subscription that the protocol's paging leaves uncharged on a day that it closes (protocol part 7). */
export type MissedSubscription = {
  id: Hex;
  dayNumber: number;
  /** Subscribers that would have been charged. */
  subscribers: number;
};

/** What remit(), called again and again by one caller from one state, would do. */
export type RemitPlan = {
  source: "simulated" | "modelled";
  /** False only when the plan ends at a limit. */
  complete: boolean;
  end: PlanEnd;
  transactions: PlannedTransaction[];
  /** The revert that ends a blocked plan. */
  revert?: Revert;
};

import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { Address, Hex } from "viem";
import { listOf } from "../paging";
import { Revert } from "../reverts/revert";
import {
  Address as AddressSchema,
  Bytes32,
  Count,
  DayNumber,
  DecimalString,
  described,
  IntegerString,
  TokenAmount,
} from "../schema";
import type { RemitState } from "./state";
import type { Lack } from "./tokenLedger";
import type { WorkingState } from "./workingState";

/**
 * How a plan ends. `caught_up`: the next call reverts with 6. `blocked`: it reverts for another reason. `no_progress`: it
 * succeeds and changes nothing. `limit`: more calls would succeed than could be planned.
 */
export const PlanEnd = Type.Union([
  Type.Literal("caught_up"),
  Type.Literal("blocked"),
  Type.Literal("no_progress"),
  Type.Literal("limit"),
]);
export type PlanEnd = Static<typeof PlanEnd>;

/** What remit(), called again and again by one caller from one state, would do. */
export type Plan = {
  /** `simulated` where every transaction was simulated by a node. */
  source: "simulated" | "modelled";
  /** False only when the plan ends at a limit. */
  complete: boolean;
  end: PlanEnd;
  /** The revert that ends a blocked plan. */
  revert?: Revert;
  transactions: PlannedTransaction[];
  /** What stops a blocked plan, where only a simulation shows it. */
  blockedBy?: BlockedBy;
  /** Null where the model was not run, or differs from the simulation. */
  details: PlanDetails | null;
};

/** What stops a plan, by the model or by simulation alone. */
export function stopOf({ details, blockedBy }: Pick<Plan, "details" | "blockedBy">): BlockedBy | undefined {
  return details?.blockedBy ?? blockedBy;
}

/** What one call of remit() does. It closes any number of empty days, then settles one day or a page of it. */
export type PlannedTransaction = {
  /** Every day number that it finishes, empty days included, in order. */
  closesDays: number[];
  /** The day whose payments it settles: that of its last CallerLog. */
  day: number;
  /** Payments handled, failures included (Coordinates events). */
  payments: number;
  failures: number;
  /**
   * What the caller receives, token units by token, in the order of first receipt. A transfer of 0 is listed; a token that
   * is not transferred is not. If the caller is also a provider or the system receiver, those receipts are included.
   */
  callerFees: { token: Address; units: bigint }[];
  /** `fitted`: estimated, from the gas of other transactions or by the model's meter. Null where neither gives a figure. */
  gas: { used: bigint; source: "simulated" | "fitted" } | null;
};

/** What only the model knows: the outcome of each payment, and its reasons. */
export type PlanDetails = {
  /** The state that the plan starts from. */
  state: RemitState;
  payments: PlannedPayment[];
  missed: MissedSubscription[];
  unpaidFees: UnpaidFee[];
  /** Present when the plan ends blocked. */
  blockedBy?: BlockedBy;
  /** Returns the state after the plan, to continue from, the first time that it is called; null from then on. */
  takeWorking?(): WorkingState | null;
};

/**
 * The outcome of one due payment. `paid`: from subscriber to provider. `fee_fill`: paid, and part of it tops the fee
 * balance up. `fails_allowance`, `fails_balance`: allowance or balance is too low (allowance is checked first), and the
 * subscriber is unsubscribed. `skipped`: met without a charge, because the id is cancelled, its token paused, or the
 * entry on the unsubscribed list. `missed`: passed over by the protocol's paging.
 */
export const PaymentOutcome = Type.Union([
  Type.Literal("paid"),
  Type.Literal("fee_fill"),
  Type.Literal("fails_allowance"),
  Type.Literal("fails_balance"),
  Type.Literal("skipped"),
  Type.Literal("missed"),
]);
export type PaymentOutcome = Static<typeof PaymentOutcome>;

/** One due payment of a plan, in the order in which remit() meets it. */
export type PlannedPayment = {
  /** Index of the transaction that meets it, or passes it over. */
  transaction: number;
  id: Hex;
  subscriber: Address;
  dayNumber: number;
  outcome: PaymentOutcome;
  /**
   * What the caller gets for this payment in token units, less the system's share, rounded down. The contract rounds the sum
   * of one id in one call, so a transaction's `callerFees` may differ slightly from the sum over its payments.
   */
  callerFee: bigint;
  /** What the subscriber lacks at that moment; null where it has enough, or nothing is charged. */
  lack: Lack | null;
};

/** A due subscription that the protocol's paging passes over, so that its day is closed without it (protocol part 7). */
export type MissedSubscription = {
  id: Hex;
  dayNumber: number;
  /** Subscribers that would have been charged. */
  subscribers: number;
};

/**
 * Why a caller receives no fee. `unsubscribed_first`: the entry at position 1 is on the unsubscribed list. `no_difference`: the
 * unsubscribed list is as long as the set (protocol part 5, rule 2e). `nothing_charged`: a transaction settles a day on which
 * everything due is cancelled, paused or gone.
 */
export const UnpaidReason = Type.Union([
  Type.Literal("unsubscribed_first"),
  Type.Literal("no_difference"),
  Type.Literal("nothing_charged"),
]);
export type UnpaidReason = Static<typeof UnpaidReason>;

/** A fee that the caller will not receive. `id`, `token` and `units` (token units) are absent where nothing was charged. */
export type UnpaidFee = {
  transaction: number;
  dayNumber: number;
  reason: UnpaidReason;
  id?: Hex;
  token?: Address;
  units?: bigint;
};

/** What stops a blocked plan. */
export type BlockedBy = {
  /** The id at which the call reverts; where only a simulation shows the token, the first of its ids that the call meets. */
  id: Hex;
  token: Address;
  /**
   * The account whose transfer the token refuses, or whose balance is too low. Absent where the protocol's own arithmetic fails, as for an
   * unsubscribed list that outgrew its set, and where only a simulation shows the token.
   */
  account?: Address;
  /** The subscriber whose payment it was, where that is `account`. */
  subscriber?: Address;
  revert: Revert;
};

/** One planned transaction in an answer. */
export const PlannedTransactionView = Type.Object({
  index: Count,
  closesDays: described(listOf(DayNumber), "Every day that it finishes, empty days included"),
  payments: Count,
  failures: Count,
  gasUsed: Type.Optional(IntegerString),
  callerFees: listOf(TokenAmount),
});
export type PlannedTransactionView = Static<typeof PlannedTransactionView>;

/** The most payments that are listed for a permit; `payments` counts all that it saves. */
export const SAVED_PAYMENTS = 20;

/** A plan in an answer, which may list only some of its transactions. */
export const PlanView = Type.Object({
  source: Type.Union([Type.Literal("simulated"), Type.Literal("modelled")]),
  complete: Type.Boolean(),
  end: PlanEnd,
  transactions: listOf(PlannedTransactionView),
});
export type PlanView = Static<typeof PlanView>;

/** What stops a blocked plan, as far as it is known. */
export const BlockedByView = Type.Object({
  reason: Type.Union([Type.Literal("revert"), Type.Literal("gas_cap")], {
    description: "gas_cap: the next remit() needs more gas than one transaction may have",
  }),
  id: Type.Optional(Bytes32),
  subscriber: Type.Optional(AddressSchema),
  token: Type.Optional(AddressSchema),
  revert: Revert,
});
export type BlockedByView = Static<typeof BlockedByView>;

/** Planned payments by token. */
export const PaymentsByToken = described(
  listOf(Type.Composite([TokenAmount, Type.Object({ payments: Count })])),
  "amount is the sum of the payments that succeed",
);
export type PaymentsByToken = Static<typeof PaymentsByToken>;

/**
 * Sums over all transactions of a plan, under the same names in every answer. Gas that is not known counts as 0; the cost contains
 * the fees of rollups for data and operator.
 */
export const RemitTotals = Type.Object({
  transactions: described(Count, "Calls of remit() that the plan has"),
  payments: described(Count, "Payments handled, failures included"),
  failures: described(Count, "Payments that fail"),
  callerFees: described(listOf(TokenAmount), "What the caller receives, by token"),
  gasUsed: IntegerString,
  estimatedCostWei: IntegerString,
  estimatedCostEth: DecimalString,
  l1FeeWei: Type.Optional(IntegerString),
  operatorFeeWei: Type.Optional(IntegerString),
});
export type RemitTotals = Static<typeof RemitTotals>;

/** A field under its old name: it stays until version 4. */
export function deprecated<T extends TSchema>(schema: T, instead: string): T {
  return { ...schema, deprecated: true, description: `Use ${instead}` };
}

import type { Address } from "viem";
import { GasMeter } from "./gasMeter";
import type { MissedSubscription, PlannedPayment, UnpaidFee } from "./plan";
import type { RemitEvent } from "./remitEvent";
import type { Checkpoint } from "./state";
import type { WorkingState } from "./workingState";

/** One call of remit() while it runs: its input and its effects so far. */
export type RemitCall = {
  readonly state: WorkingState;
  /** Index of the call's transaction in the plan, from 0. */
  readonly transaction: number;
  /** The day that is being settled. */
  day: number;
  /** The checkpoint that the call began with; null where there was none, or it has been cleared since. */
  resume: Checkpoint | null;
  /** The entry of `resume` was reached: no subscribers are skipped any more. */
  met: boolean;
  /** The day has an id with subscribers, whether they can be charged or not. */
  dayHasDue: boolean;
  payments: number;
  failures: number;
  readonly closesDays: number[];
  /** What the caller received, token units by token, in the order of first receipt. */
  readonly receipts: Map<Address, bigint>;
  readonly outcomes: PlannedPayment[];
  readonly missed: MissedSubscription[];
  readonly unpaidFees: UnpaidFee[];
  /** Null where events are not recorded: a large plan would be slower with them. */
  readonly events: RemitEvent[] | null;
  /** Null where gas is not metered: it takes several times as long as the rest. */
  readonly meter: GasMeter | null;
  /** The account whose payments never fail, because the model adds what they lack; null for none. */
  readonly cured: Address | null;
};

export type CallOptions = { withEvents: boolean; withGas: boolean; cured?: Address | null };

export function openCall(
  state: WorkingState,
  transaction: number,
  { withEvents, withGas, cured = null }: CallOptions,
): RemitCall {
  return {
    state,
    transaction,
    day: state.nextUncheckedDay,
    resume: state.checkpoint,
    met: false,
    dayHasDue: false,
    payments: 0,
    failures: 0,
    closesDays: [],
    receipts: new Map(),
    outcomes: [],
    missed: [],
    unpaidFees: [],
    events: withEvents ? [] : null,
    meter: withGas ? new GasMeter(state.checkpoint) : null,
    cured,
  };
}

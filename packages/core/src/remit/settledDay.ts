import type { Address, Hex } from "viem";
import type { Frequency } from "../calendar/frequency";

/** What remit() did for one subscription on one day, by the events. */
export type SettledCharge = {
  id: Hex;
  /** Checksummed. */
  token: Address;
  frequency: Frequency;
  /** Of one payment, 18 decimals. */
  amount: bigint;
  /** Payments handled, failures included. */
  payments: number;
  failures: number;
};

/** A due subscription that was not charged although it had subscribers when its day was closed. */
export type UnchargedSubscription = {
  id: Hex;
  token: Address;
  frequency: Frequency;
  amount: bigint;
  subscribers: number;
};

/** What the events record of one day, up to some block. */
export type SettledDay = {
  dayNumber: number;
  charges: readonly SettledCharge[];
  /**
   * Ids that the paging, or a jump of the admin, passed over (protocol part 7). Only of a day that is closed. A token that was paused
   * leaves no event: its ids are among them.
   */
  uncharged: readonly UnchargedSubscription[];
};

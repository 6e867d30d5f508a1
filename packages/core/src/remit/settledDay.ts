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
   * Ids that were not charged, because of the paging or because the admin set a later nextUncheckedDay (protocol part
   * 7). Empty for a day that is not closed. Ids of a paused token are included, because pausing leaves no event.
   */
  uncharged: readonly UnchargedSubscription[];
};

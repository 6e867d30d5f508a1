import type { Address, Hex } from "viem";

/** An event that remit() emits, or the Transfer of a token that it moves; timestamps left out (protocol part 2, Events). */
export type RemitEvent =
  | {
      event: "SubLog";
      id: Hex;
      provider: Address;
      subscriber: Address;
      /** 18 decimals. */
      amount: bigint;
      token: Address;
      /** Code of `subscriptEvent`. */
      subScriptEvent: number;
    }
  | {
      event: "Coordinates";
      id: Hex;
      subscriberIndex: number;
      subscriptionIndex: number;
      frequency: number;
      nextUncheckedDay: number;
    }
  | { event: "CallerLog"; checkedDay: number; caller: Address; isFinished: boolean }
  /** `value` in token units. */
  | { event: "Transfer"; token: Address; from: Address; to: Address; value: bigint };

import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import type { Clock } from "../clock";

/** What was lost in the last 24 hours, wei, by the name of a transaction, a round or a nonce. */
export type LossBook = {
  /** Sets what was lost with a transaction or a round, or what the signed transactions of a nonce may cost at most. */
  note(name: string, wei: bigint): void;
  remove(name: string): void;
  /** The sum, without that of `except`. */
  sum(except?: string): bigint;
};

const DAY_MS = DAY_SECONDS * 1000;

/** Uses a monotonic clock, so that a change of the machine's or a node's time does not end a loss early. */
export function createLossBook({ elapsed }: Pick<Clock, "elapsed">): LossBook {
  const losses = new Map<string, { at: number; wei: bigint }>();
  return {
    note(name, wei) {
      losses.set(name, { at: elapsed(), wei });
    },
    remove(name) {
      losses.delete(name);
    },
    sum(except) {
      let total = 0n;
      for (const [name, { at, wei }] of losses) {
        if (elapsed() - at >= DAY_MS) losses.delete(name);
        else if (name !== except) total += wei;
      }
      return total;
    },
  };
}

/** The name under which the signed transactions of one nonce are counted, until one of them is mined. */
export function nonceName(nonce: number): string {
  return `nonce ${nonce}`;
}

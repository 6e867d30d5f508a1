import { decodeProtocolEvent, decodeTokenEvent, type RawLog } from "@dueday/core/events/decodeEvent";
import { subscriptEvent } from "@dueday/core/events/eventNames";
import type { PlannedTransaction } from "@dueday/core/remit/plan";
import { type Address, getAddress, type Hex } from "viem";

/** One payment that a call of remit() handled, as Coordinates tells it. */
export type HandledPayment = {
  id: Hex;
  dayNumber: number;
  frequency: number;
  /** Position of the id in its due list, from 1. */
  listPosition: number;
};

/** A subscriber that a call of remit() unsubscribed for want of allowance or balance. */
export type FailedPayment = { id: Hex; subscriber: Address };

/** What one successful call of remit() did, from its logs. */
export type ReadTransaction = PlannedTransaction & {
  gasUsed: bigint;
  handled: HandledPayment[];
  failed: FailedPayment[];
};

/** Reads the logs of one remit(), mined or simulated (protocol part 5). `gasUsed` is taken over. */
export function readTransaction(
  logs: readonly RawLog[],
  gasUsed: bigint,
  { contract, from }: { contract: Address; from: Address },
): ReadTransaction {
  const closesDays: number[] = [];
  const handled: HandledPayment[] = [];
  const failed: FailedPayment[] = [];
  const fees = new Map<Address, bigint>();
  let day = 0;
  for (const log of logs) {
    const address = getAddress(log.address);
    if (address !== getAddress(contract)) {
      const event = decodeTokenEvent(log);
      if (event?.eventName !== "Transfer" || event.args.to !== getAddress(from)) continue;
      fees.set(address, (fees.get(address) ?? 0n) + event.args.value);
      continue;
    }
    const event = decodeProtocolEvent(log);
    if (event?.eventName === "CallerLog") {
      day = event.args.checkedDay;
      if (event.args.isFinished) closesDays.push(day);
    } else if (event?.eventName === "Coordinates") {
      const { id, nextUncheckedDay, frequency, subscriptionIndex } = event.args;
      handled.push({
        id,
        dayNumber: nextUncheckedDay,
        frequency: Number(frequency),
        listPosition: Number(subscriptionIndex),
      });
    } else if (event?.eventName === "SubLog" && event.args.subScriptEvent === subscriptEvent.FAILED) {
      failed.push({ id: event.args.id, subscriber: event.args.subscriber });
    }
  }
  return {
    closesDays,
    day,
    payments: handled.length,
    failures: failed.length,
    callerFees: [...fees].map(([token, units]) => ({ token, units })),
    gasUsed,
    handled,
    failed,
  };
}

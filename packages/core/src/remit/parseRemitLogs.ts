import { type Address, getAddress, type Hex } from "viem";
import { decodeProtocolEvent, type RawLog } from "../events/decodeProtocolEvent";
import { decodeTokenEvent } from "../events/decodeTokenEvent";
import { subLogCode } from "../events/subLogEvents";
import type { PlannedTransaction } from "./plan";

/** What one successful call of remit() did. */
export type RemitEffects = Omit<PlannedTransaction, "gas"> & {
  /** Each payment that it handled, failures included, in order. */
  handled: HandledPayment[];
};

/** A payment as the logs show it. They do not contain why one failed. */
export type HandledPayment = {
  id: Hex;
  dayNumber: number;
  subscriber: Address;
  outcome: "paid" | "fee_fill" | "failed";
};

/** Codes of the events that show the outcome of a payment: each payment has exactly one of them. */
const outcomes = new Map<number, HandledPayment["outcome"]>([
  [subLogCode.SubscriberPaid, "paid"],
  [subLogCode.FeeFill, "fee_fill"],
  [subLogCode.Failed, "failed"],
]);

export type ParseRemitLogsParameters = {
  contract: Address;
  /** Who called remit(): Transfers to this account are its fees. */
  caller: Address;
};

/** Reads the logs of one remit(), mined or simulated (protocol part 5). */
export function parseRemitLogs(logs: readonly RawLog[], { contract, caller }: ParseRemitLogsParameters): RemitEffects {
  const [protocol, receiver] = [contract.toLowerCase(), caller.toLowerCase()];
  const closesDays: number[] = [];
  const charged: Omit<HandledPayment, "dayNumber">[] = [];
  const fees = new Map<Address, bigint>();
  let day = 0;
  /** The day whose payments the call settles: a call settles only one. */
  let paymentDay = 0;
  let payments = 0;
  let failures = 0;
  for (const log of logs) {
    if (log.address.toLowerCase() !== protocol) {
      const event = decodeTokenEvent(log);
      if (event?.event !== "Transfer" || event.to !== receiver) continue;
      const token = getAddress(log.address);
      fees.set(token, (fees.get(token) ?? 0n) + event.value);
      continue;
    }
    const event = decodeProtocolEvent(log);
    if (event?.event === "CallerLog") {
      day = event.checkedDay;
      if (event.isFinished) closesDays.push(day);
    } else if (event?.event === "Coordinates") {
      paymentDay = event.nextUncheckedDay;
      payments++;
    } else if (event?.event === "SubLog") {
      const outcome = outcomes.get(event.code);
      if (outcome === "failed") failures++;
      if (outcome !== undefined) charged.push({ id: event.id, subscriber: getAddress(event.subscriber), outcome });
    }
  }
  const callerFees = [...fees].map(([token, units]) => ({ token, units }));
  const handled = charged.map((each) => ({ ...each, dayNumber: paymentDay }));
  return { closesDays, day, payments, failures, callerFees, handled };
}

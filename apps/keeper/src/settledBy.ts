import { decodeProtocolEvent, decodeTokenEvent, type RawLog } from "@dueday/core/events/decodeEvent";
import { subscriptEvent } from "@dueday/core/events/eventNames";
import { type Address, getAddress, isAddressEqual } from "viem";

/** What one mined remit() has done. */
export type Settled = {
  /** Day numbers that it finished, empty days included. */
  closedDays: number[];
  /** Failures included. */
  payments: number;
  failures: number;
  /** Token units that the keeper received, by token. */
  callerFees: Map<Address, bigint>;
};

/** Reads a receipt's logs: CallerLog closes days, Coordinates is one payment, Transfers to the keeper are its fees (protocol part 5). */
export function settledBy(logs: readonly RawLog[], contract: Address, keeper: Address): Settled {
  const settled: Settled = { closedDays: [], payments: 0, failures: 0, callerFees: new Map() };
  for (const log of logs) {
    if (isAddressEqual(log.address, contract)) addProtocolEvent(settled, log);
    else addFee(settled, log, keeper);
  }
  return settled;
}

function addProtocolEvent(settled: Settled, log: RawLog): void {
  const event = decodeProtocolEvent(log);
  if (event?.eventName === "CallerLog" && event.args.isFinished) settled.closedDays.push(event.args.checkedDay);
  if (event?.eventName === "Coordinates") settled.payments++;
  if (event?.eventName === "SubLog" && event.args.subScriptEvent === subscriptEvent.FAILED) settled.failures++;
}

function addFee(settled: Settled, log: RawLog, keeper: Address): void {
  const event = decodeTokenEvent(log);
  if (event?.eventName !== "Transfer" || !isAddressEqual(event.args.to, keeper)) return;
  const token = getAddress(log.address);
  settled.callerFees.set(token, (settled.callerFees.get(token) ?? 0n) + event.args.value);
}

import { type Address, getAddress, type Hex } from "viem";
import { decodeProtocolEvent, type RawLog } from "../events/decodeProtocolEvent";
import { decodeTokenEvent } from "../events/decodeTokenEvent";
import { subLogCode } from "../events/subLogEvents";
import type { PlannedTransaction } from "./plan";

/** What one successful call of remit() did. */
export type RemitEffects = Omit<PlannedTransaction, "gas"> & {
  /** The id and day of each payment that it handled, failures included. */
  handled: { id: Hex; dayNumber: number }[];
};

export type ParseRemitLogsParameters = {
  contract: Address;
  /** Who called remit(): Transfers to this account are its fees. */
  caller: Address;
};

/** Reads the logs of one remit(), mined or simulated (protocol part 5). */
export function parseRemitLogs(logs: readonly RawLog[], { contract, caller }: ParseRemitLogsParameters): RemitEffects {
  const [protocol, receiver] = [contract.toLowerCase(), caller.toLowerCase()];
  const closesDays: number[] = [];
  const handled: RemitEffects["handled"] = [];
  const fees = new Map<Address, bigint>();
  let day = 0;
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
      handled.push({ id: event.id, dayNumber: event.nextUncheckedDay });
    } else if (event?.event === "SubLog" && event.code === subLogCode.Failed) failures++;
  }
  const callerFees = [...fees].map(([token, units]) => ({ token, units }));
  return { closesDays, day, payments: handled.length, failures, callerFees, handled };
}

import { decodeProtocolEvent, type RawLog } from "@dueday/core/events/decodeProtocolEvent";
import { decodeTokenEvent } from "@dueday/core/events/decodeTokenEvent";
import { type Address, getAddress } from "viem";

/** The most tokens of one transaction that are read: a page of remit() moves a few, an unrelated transaction any number. */
const TOKENS_LIMIT = 50;

/** Tokens in logs: those of SubLog events, and the emitters of transfers and approvals; the first 50. */
export function tokensOfLogs(logs: readonly RawLog[], contract: Address): Address[] {
  const tokens = new Set<Address>();
  for (const log of logs) {
    if (tokens.size >= TOKENS_LIMIT) break;
    if (getAddress(log.address) === getAddress(contract)) {
      const event = decodeProtocolEvent(log);
      if (event?.event === "SubLog") tokens.add(getAddress(event.token));
    } else if (decodeTokenEvent(log) !== null) tokens.add(getAddress(log.address));
  }
  return [...tokens];
}

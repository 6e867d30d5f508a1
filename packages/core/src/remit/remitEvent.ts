import type { Address } from "viem";
import type { TokenEvent } from "../events/decodeTokenEvent";
import type { CallerLog, CoordinatesLog, SubLog } from "../events/protocolEvent";

/** An event emitted by remit(), without its timestamp, or the Transfer of a token that remit() moves (protocol part 2, Events). */
export type RemitEvent =
  | Omit<SubLog, "timestamp">
  | CoordinatesLog
  | Omit<CallerLog, "timestamp">
  | (Extract<TokenEvent, { event: "Transfer" }> & { token: Address });

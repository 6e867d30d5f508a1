import { decodeProtocolEvent } from "@dueday/core/events/decodeProtocolEvent";
import { decodeTokenEvent, type TokenEvent } from "@dueday/core/events/decodeTokenEvent";
import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import { subLogEvents } from "@dueday/core/events/subLogEvents";
import { getAddress, type Hex, type RpcLog } from "viem";
import type { RecordedLog } from "./scenario";
import type { ReplayContext } from "./setUp";

const NAMED = new Set(["id", "provider", "subscriber", "caller", "token", "from", "to"]);

/** Converts logs to the form of the scenarios: names for addresses and ids, strings for uint256, no timestamps. */
export function describeLogs(logs: readonly RpcLog[], context: ReplayContext): RecordedLog[] {
  return logs.map((log) => {
    if (getAddress(log.address) === context.contract) {
      const event = decodeProtocolEvent(log);
      if (event) return describeEvent(event, context);
    }
    const event = decodeTokenEvent(log);
    if (!event) throw new Error(`a log of ${log.address} is not a known event`);
    return { ...describeEvent(event, context), token: context.names.nameOf(log.address) };
  });
}

function describeEvent(event: ProtocolEvent | TokenEvent, { names }: ReplayContext): RecordedLog {
  const described: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(event)) {
    if (key === "timestamp") continue;
    // The cast is safe: in all events these fields are addresses or bytes32.
    if (NAMED.has(key)) described[key] = names.nameOf(value as Hex);
    else if (key === "code") described.subScriptEvent = subLogEvents[Number(value)]?.contractName ?? String(value);
    else described[key] = typeof value === "bigint" ? value.toString() : value;
  }
  return { ...described, event: event.event };
}

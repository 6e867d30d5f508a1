import { decodeProtocolEvent, decodeTokenEvent } from "@dueday/core/events/decodeEvent";
import { subscriptEvent } from "@dueday/core/events/eventNames";
import { getAddress, type Hex, type RpcLog } from "viem";
import type { RecordedLog } from "./scenario";
import type { ReplayContext } from "./setUp";

const NAMED = new Set(["id", "provider", "subscriber", "caller", "token", "from", "to"]);
const SUB_LOG_NAMES = new Map<number, string>(Object.entries(subscriptEvent).map(([name, code]) => [code, name]));

/** Logs as scenarios record them: names for addresses and ids, strings for uint256, no timestamps. */
export function describeLogs(logs: readonly RpcLog[], context: ReplayContext): RecordedLog[] {
  return logs.map((log) => {
    if (getAddress(log.address) === context.contract) {
      const event = decodeProtocolEvent(log);
      if (event) return { event: event.eventName, ...describeArguments(event.args, context) };
    }
    const event = decodeTokenEvent(log);
    if (!event) throw new Error(`a log of ${log.address} is no known event`);
    return {
      event: event.eventName,
      token: context.names.nameOf(log.address),
      ...describeArguments(event.args, context),
    };
  });
}

function describeArguments(args: Record<string, unknown>, { names }: ReplayContext) {
  const described: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(args)) {
    if (key === "timestamp") continue;
    // The cast holds: in both ABIs these arguments are addresses or bytes32.
    if (NAMED.has(key)) described[key] = names.nameOf(value as Hex);
    else if (key === "subScriptEvent") described[key] = SUB_LOG_NAMES.get(Number(value)) ?? String(value);
    else if (typeof value === "bigint") described[key] = value.toString();
    else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      described[key] = value;
  }
  return described;
}

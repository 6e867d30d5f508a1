import type { RawLog } from "@dueday/core/events/decodeProtocolEvent";
import { getAddress, type Hex, isAddress, isHex } from "viem";
import { isRecord } from "../client/parseRpcAnswer";
import { upstreamError } from "../client/upstreamError";

/** Reads the logs of a receipt or a simulated call, in order. Throws ServiceError UPSTREAM_ERROR for anything else. */
export function parseLogs(logs: unknown, method: string): RawLog[] {
  const malformed = () => upstreamError({ kind: "malformed" }, method);
  if (!Array.isArray(logs)) throw malformed();
  return logs.map((log: unknown) => {
    if (!isRecord(log) || typeof log.address !== "string" || !isAddress(log.address, { strict: false })) {
      throw malformed();
    }
    if (!isHex(log.data) || !Array.isArray(log.topics)) throw malformed();
    const topics = log.topics.filter((topic): topic is Hex => isHex(topic));
    return { address: getAddress(log.address), topics, data: log.data };
  });
}

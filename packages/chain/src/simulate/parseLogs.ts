import type { RawLog } from "@dueday/core/events/decodeProtocolEvent";
import { type Address, getAddress } from "viem";
import { isBytes, isWord } from "../client/fitsMethod";
import { isAccount } from "../client/isAccount";
import { parseQuantity } from "../client/parseQuantity";
import { isRecord } from "../client/parseRpcAnswer";
import { upstreamError } from "../client/upstreamError";

const MOST_TOPICS = 4;

/**
 * Reads the logs of a receipt or a simulated call, in order. Throws ServiceError UPSTREAM_ERROR for anything else, and where the
 * log indexes do not rise: then a log is there twice, or in the wrong place.
 */
export function parseLogs(logs: unknown, method: string): RawLog[] {
  const malformed = () => upstreamError({ kind: "malformed" }, method);
  if (!Array.isArray(logs)) throw malformed();
  let before = -1n;
  /** By the node's text: a plan has thousands of logs of a few contracts. */
  const addresses = new Map<unknown, Address>();
  const addressOf = (text: unknown) => {
    const known = addresses.get(text);
    if (known !== undefined) return known;
    if (!isAccount(text)) throw malformed();
    const address = getAddress(text);
    addresses.set(text, address);
    return address;
  };
  return logs.map((log: unknown) => {
    if (!isRecord(log)) throw malformed();
    const { topics, data } = log;
    const address = addressOf(log.address);
    if (!isBytes(data) || !Array.isArray(topics) || topics.length > MOST_TOPICS || !topics.every(isWord)) {
      throw malformed();
    }
    if (log.logIndex !== undefined) {
      const place = parseQuantity(log.logIndex);
      if (place === null || place <= before) throw malformed();
      before = place;
    }
    return { address, topics, data };
  });
}

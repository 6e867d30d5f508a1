import type { RawLog } from "@dueday/core/events/decodeProtocolEvent";
import { isOddTokenEvent, tokenEventTopics } from "@dueday/core/events/decodeTokenEvent";
import type { Hex } from "viem";
import type { Rpc } from "../client/createChainClient";
import { isRecord } from "../client/parseRpcAnswer";
import { upstreamError } from "../client/upstreamError";
import { parseLogs } from "../simulate/parseLogs";

/** An answer names no more tokens (`tokensOfLogs`). */
const MOST_ADDRESSES = 50;

/**
 * Checks logs of a receipt that look like a broken Transfer or Approval: the node must return the same logs for eth_getLogs. If a broken
 * answer gave a transfer one topic more, the transfer would be missing from our answer. A log's size alone proves nothing: every contract can emit
 * such a log, and if all of them were refused, anybody who calls remit() through a contract of their own could stop the index.
 *
 * @param receipt its logs as `parseLogs` returns them
 * @throws ServiceError UPSTREAM_*, retryable, where the node has other logs there; RpcRefusal where it refuses the request
 */
export async function confirmOddLogs(
  rpc: Rpc,
  { transactionHash, blockHash, logs }: { transactionHash: Hex; blockHash: Hex; logs: readonly RawLog[] },
): Promise<void> {
  const emitters = new Set(logs.filter(isOddTokenEvent).map(({ address }) => address));
  if (emitters.size === 0) return;
  const address = [...emitters].slice(0, MOST_ADDRESSES);
  const answer = await rpc("eth_getLogs", [{ blockHash, address, topics: [tokenEventTopics] }]);
  if (!Array.isArray(answer)) throw upstreamError({ kind: "malformed" }, "eth_getLogs");
  const isOfTransaction = (log: unknown) =>
    isRecord(log) && String(log.transactionHash).toLowerCase() === transactionHash.toLowerCase();
  const found = parseLogs(answer.filter(isOfTransaction), "eth_getLogs");
  const received = logs.filter(({ address: emitter, topics: [topic] }) => {
    return address.includes(emitter) && topic !== undefined && tokenEventTopics.includes(topic);
  });
  if (JSON.stringify(found) !== JSON.stringify(received)) {
    throw upstreamError({ kind: "malformed" }, "eth_getTransactionReceipt");
  }
}

import type { ReceiptFacts } from "@dueday/core/domainEvents/eventBatch";
import type { Hex } from "viem";
import type { Rpc } from "../client/createChainClient";
import { expectQuantity } from "../client/expectQuantity";
import { isRecord } from "../client/parseRpcAnswer";
import { upstreamError } from "../client/upstreamError";
import { parseLogs } from "../simulate/parseLogs";
import { confirmOddLogs } from "./confirmOddLogs";

const METHOD = "eth_getTransactionReceipt";

/**
 * The gas, cost and logs of a mined transaction. Throws ServiceError UPSTREAM_*, retryable, where the node does not have it in this
 * block (yet, or any more), and RpcRefusal where the node refuses a request.
 */
export async function readReceiptFacts(
  rpc: Rpc,
  { transactionHash, blockHash }: { transactionHash: Hex; blockHash: Hex },
): Promise<ReceiptFacts> {
  const receipt = await rpc(METHOD, [transactionHash]);
  if (receipt === null) throw upstreamError({ kind: "missing_block" }, METHOD);
  if (!isRecord(receipt) || typeof receipt.blockHash !== "string" || !Array.isArray(receipt.logs)) {
    throw upstreamError({ kind: "malformed" }, METHOD);
  }
  if (receipt.blockHash.toLowerCase() !== blockHash) throw upstreamError({ kind: "missing_block" }, METHOD);
  const indexes = receipt.logs.map((log: unknown) =>
    Number(expectQuantity(isRecord(log) ? log.logIndex : null, METHOD)),
  );
  const logs = parseLogs(receipt.logs, METHOD);
  await confirmOddLogs(rpc, { transactionHash, blockHash, logs });
  const gasUsed = expectQuantity(receipt.gasUsed, METHOD);
  // Chains on the OP Stack add what the sender paid for L1 data.
  const l1Fee = receipt.l1Fee === undefined || receipt.l1Fee === null ? 0n : expectQuantity(receipt.l1Fee, METHOD);
  return {
    gasUsed,
    costWei: gasUsed * expectQuantity(receipt.effectiveGasPrice, METHOD) + l1Fee,
    logs: logs.map((log, index) => ({ ...log, logIndex: indexes[index] ?? 0 })),
  };
}

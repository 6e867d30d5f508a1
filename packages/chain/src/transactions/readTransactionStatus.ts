import { ServiceError } from "@dueday/core/errors";
import type { RawLog } from "@dueday/core/events/decodeProtocolEvent";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import type { Revert } from "@dueday/core/reverts/revert";
import { type Address, getAddress, type Hex, numberToHex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import { readBlockByHash } from "../block/parseBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectQuantity } from "../client/expectQuantity";
import { explainRefusal } from "../client/explainRefusal";
import { isWord } from "../client/fitsMethod";
import { isAccount } from "../client/isAccount";
import { isRecord } from "../client/parseRpcAnswer";
import { RpcRefusal } from "../client/rpcOutcome";
import { upstreamError } from "../client/upstreamError";
import { parseLogs } from "../simulate/parseLogs";
import { confirmOddLogs } from "./confirmOddLogs";
import { judgeRevert, type RevertedCall } from "./judgeRevert";

export type TransactionStatus = {
  /** `unknown`: the node does not have it, or no longer. */
  status: "success" | "reverted" | "pending" | "unknown";
  transactionHash: Hex;
  /** Present once it is in a block. */
  mined?: MinedTransaction;
  /** Why it reverted, from repeating it on the state of the parent block; absent where that does not show why. */
  revert?: Revert;
};

export type MinedTransaction = {
  blockNumber: bigint;
  blockHash: Hex;
  /** 1 in the head block. */
  confirmations: number;
  /** From the time of its block to that of the head. */
  confirmedSeconds: number;
  gasUsed: bigint;
  /** Wei per gas. */
  effectiveGasPrice: bigint;
  logs: RawLog[];
};

const METHOD = "eth_getTransactionReceipt";
/** Block numbers are far below. */
const NUMBER_END = 2n ** 53n;

/** The status of a transaction at `head`. Throws ServiceError UPSTREAM_* where the node fails. */
export async function readTransactionStatus(
  client: ChainClient,
  { contract, hash, head }: { contract: Address; hash: Hex; head: ChainBlock },
): Promise<TransactionStatus> {
  try {
    const [transaction, receipt] = await Promise.all([
      client.rpc("eth_getTransactionByHash", [hash]),
      client.rpc(METHOD, [hash]),
    ]);
    if (receipt === null) return { status: transaction === null ? "unknown" : "pending", transactionHash: hash };
    if (!isRecord(receipt)) throw malformed();
    const parsed = parseReceipt(receipt, head);
    const [block] = await Promise.all([
      readBlockByHash(client, parsed.blockHash),
      confirmOddLogs(client.rpc, { transactionHash: hash, ...parsed }),
    ]);
    const seconds = Number(head.timestamp - block.timestamp);
    const mined = { ...parsed, confirmedSeconds: Math.max(0, seconds) };
    const status = expectQuantity(receipt.status, METHOD);
    if (status > 1n) throw malformed();
    if (status === 1n) return { status: "success", transactionHash: hash, mined };
    const revert = await repeatAtParent(client, { contract, transaction, blockNumber: mined.blockNumber });
    return { status: "reverted", transactionHash: hash, mined, ...(revert === null ? {} : { revert }) };
  } catch (error) {
    throw explainRefusal(error);
  }
}

function parseReceipt(receipt: Record<string, unknown>, head: ChainBlock): Omit<MinedTransaction, "confirmedSeconds"> {
  const blockNumber = expectQuantity(receipt.blockNumber, METHOD);
  const { blockHash, logs } = receipt;
  if (!isWord(blockHash) || blockNumber >= NUMBER_END) throw malformed();
  const isElsewhere = (log: unknown) => isRecord(log) && log.blockHash !== undefined && log.blockHash !== blockHash;
  if (Array.isArray(logs) && logs.some(isElsewhere)) throw malformed();
  return {
    blockNumber,
    blockHash,
    // Another node than that of the receipt may have a lower head.
    confirmations: Number(head.number > blockNumber ? head.number - blockNumber : 0n) + 1,
    gasUsed: expectQuantity(receipt.gasUsed, METHOD),
    effectiveGasPrice: expectQuantity(receipt.effectiveGasPrice, METHOD),
    logs: parseLogs(logs, METHOD),
  };
}

/** A receipt has no reason. Repeating the call gives it, unless gas ran out or earlier transactions of the block mattered. */
async function repeatAtParent(
  client: ChainClient,
  { contract, transaction, blockNumber }: { contract: Address; transaction: unknown; blockNumber: bigint },
): Promise<Revert | null> {
  if (!isRecord(transaction) || blockNumber === 0n) return null;
  const { from, to, input, value, gas } = transaction;
  if (!isAccount(from)) return null;
  const recipient: { to?: Address } = isAccount(to) ? { to: getAddress(to) } : {};
  const call = { from: getAddress(from), ...recipient, data: input, value, gas };
  try {
    await client.rpc("eth_call", [call, numberToHex(blockNumber - 1n)]);
    return null;
  } catch (error) {
    // Without the state of an old block the status is still worth answering.
    if (!(error instanceof RpcRefusal)) return null;
    return judgeIfKnown(client, { contract, blockNumber, call }, decodeRevert(error.data));
  }
}

/** `judgeRevert`; null too where the node can't be read for it: the status is still worth answering. */
async function judgeIfKnown(client: ChainClient, reverted: RevertedCall, revert: Revert): Promise<Revert | null> {
  try {
    return await judgeRevert(client, reverted, revert);
  } catch (error) {
    if (error instanceof ServiceError || error instanceof RpcRefusal) return null;
    throw error;
  }
}

function malformed() {
  return upstreamError({ kind: "malformed" }, METHOD);
}

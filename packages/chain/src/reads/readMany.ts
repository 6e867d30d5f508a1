import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import type { Revert } from "@dueday/core/reverts/revert";
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  isHex,
  multicall3Abi,
} from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import { mapCalls } from "../client/mapCalls";
import { isExecutionFailure, isOutOfGas } from "../client/parseRpcAnswer";
import { readOnce } from "../client/readOnce";
import { RpcRefusal } from "../client/rpcOutcome";
import { upstreamError } from "../client/upstreamError";
import type { ContractRead } from "./contractRead";
import { hasCode } from "./hasCode";

/** Multicall3, at one address on nearly every chain (protocol, first table). */
const MULTICALL: Address = getAddress("0xcA11bde05977b3631167028862bE2a173976CA11");
/** Reads in one multicall: with views of 300,000 gas still well inside the 50 million that nodes give an eth_call. */
const CHUNK = 50;

/** The result of one view call. */
export type ReadResult<T> = { ok: true; value: T } | FailedRead;

export type FailedRead = {
  ok: false;
  /** Without a code where the answer is empty or does not decode, as from an address without code. */
  revert: Revert;
  /** It needs more gas than the node gives an eth_call, so the contract has not answered. */
  outOfGas: boolean;
  /** Something came back that is not a result of the function: of another contract, of a peculiar token, or of a broken node. */
  isBroken: boolean;
};

/** Results of `reads`, one for each and of its type. */
export type ReadResults<T extends readonly ContractRead<unknown>[]> = {
  -readonly [K in keyof T]: T[K] extends ContractRead<infer V> ? ReadResult<V> : never;
};

/**
 * Makes view calls on the state after `block`: through Multicall3 where the chain has it, else as JSON-RPC batches; a few HTTP
 * requests for hundreds of reads in both cases. A read that reverts is a result; only a failing node throws (ServiceError).
 */
export async function readMany<const T extends readonly ContractRead<unknown>[]>(
  client: ChainClient,
  reads: T,
  block: Pick<ChainBlock, "hash">,
): Promise<ReadResults<T>> {
  try {
    const results =
      reads.length > 2 && (await hasMulticall(client))
        ? await readInChunks(client, reads, block)
        : await mapCalls(reads, (read) => readAlone(client, read, block));
    // Each result was decoded by the read at its own place, which is what the mapped type states.
    return results as ReadResults<T>;
  } catch (error) {
    throw explainRefusal(error);
  }
}

function hasMulticall(client: ChainClient): Promise<boolean> {
  return readOnce(client, "multicall3", () => hasCode(client, MULTICALL));
}

async function readInChunks(
  client: ChainClient,
  reads: readonly ContractRead<unknown>[],
  block: Pick<ChainBlock, "hash">,
) {
  const chunks: (readonly ContractRead<unknown>[])[] = [];
  for (let start = 0; start < reads.length; start += CHUNK) chunks.push(reads.slice(start, start + CHUNK));
  const together = (await mapCalls(chunks, (chunk) => readChunk(client, chunk, block))).flat();
  return mapCalls(reads, async (read, position) => together[position] ?? readAlone(client, read, block));
}

/** Null for each read that has to be sent alone. */
async function readChunk(
  client: ChainClient,
  reads: readonly ContractRead<unknown>[],
  block: Pick<ChainBlock, "hash">,
): Promise<(ReadResult<unknown> | null)[]> {
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [reads.map((read) => ({ target: read.to, allowFailure: true, callData: read.data }))],
  });
  const answers = await ethCall(client, MULTICALL, data, block).then(decodeAggregate, (error: unknown) => {
    if (error instanceof RpcRefusal) return null;
    throw error;
  });
  return reads.map((read, position) => {
    const answer = answers?.[position];
    // An inner call that ran out of gas looks like a revert without a reason. Alone it has the whole budget, and the node's error
    // shows which it was.
    if (answer === undefined || answer.returnData === "0x") return null;
    return answer.success ? decoded(read, answer.returnData) : reverted(answer.returnData);
  });
}

/** Null where the answer is not that of a Multicall3: then each read is sent alone. */
function decodeAggregate(returned: Hex) {
  try {
    return decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data: returned });
  } catch {
    return null;
  }
}

async function readAlone(
  client: ChainClient,
  read: ContractRead<unknown>,
  block: Pick<ChainBlock, "hash">,
): Promise<ReadResult<unknown>> {
  try {
    return decoded(read, await ethCall(client, read.to, read.data, block));
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    if (!isExecutionFailure(error)) throw upstreamError({ kind: "node_error" }, "eth_call");
    return { ...reverted(error.data), outOfGas: isOutOfGas(error.message) };
  }
}

async function ethCall(client: ChainClient, to: Address, data: Hex, block: Pick<ChainBlock, "hash">): Promise<Hex> {
  const returned = await client.rpc("eth_call", [{ to, data }, blockReference(block)]);
  if (!isHex(returned)) throw upstreamError({ kind: "malformed" }, "eth_call");
  return returned;
}

function decoded(read: ContractRead<unknown>, returned: Hex): ReadResult<unknown> {
  try {
    return { ok: true, value: read.decode(returned) };
  } catch {
    return { ...reverted(undefined), isBroken: true };
  }
}

function reverted(data: Hex | undefined): FailedRead {
  return { ok: false, revert: decodeRevert(data), outOfGas: false, isBroken: false };
}

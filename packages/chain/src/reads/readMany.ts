import { ServiceError } from "@dueday/core/errors";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import type { Revert } from "@dueday/core/reverts/revert";
import { runInSlices } from "@dueday/core/runInSlices";
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
import { isExecutionFailure, isOutOfGas, isTooLargeResult } from "../client/parseRpcAnswer";
import { readOnce } from "../client/readOnce";
import { RpcRefusal } from "../client/rpcOutcome";
import { upstreamError } from "../client/upstreamError";
import type { ContractRead } from "./contractRead";
import { hasCode } from "./hasCode";
import { MULTICALL_PROGRAM } from "./multicallProgram";

/** Multicall3, at one address on nearly every chain (protocol, first table). */
const MULTICALL: Address = getAddress("0xcA11bde05977b3631167028862bE2a173976CA11");
/** For a chain without it: the request carries a program that takes its place. */
const PROGRAM_OVERRIDES = [{ [MULTICALL]: { code: MULTICALL_PROGRAM } }] as const;
/** Reads in one multicall: with views of 300,000 gas still well inside the 50 million that nodes give an eth_call. */
const CHUNK = 50;

/** The result of one view call. */
export type ReadResult<T> = { ok: true; value: T } | FailedRead;

export type FailedRead = {
  ok: false;
  /** Its `code` is "" where the answer is empty or does not decode, as from an address without a contract. */
  revert: Revert;
  /** The read needs more gas than the node gives an eth_call, so the contract has not answered. */
  outOfGas: boolean;
  /** The answer is not a result of the function: it comes from another contract, a peculiar token or a broken node. */
  isBroken: boolean;
};

/** Results of `reads`, one for each and of its type. */
export type ReadResults<T extends readonly ContractRead<unknown>[]> = {
  -readonly [K in keyof T]: T[K] extends ContractRead<infer V> ? ReadResult<V> : never;
};

/**
 * Makes view calls on the state after `block`. Three or more go through Multicall3 where the chain has it, else through a program that the
 * request carries (a state override); one or two, and all of them where neither is possible, go as JSON-RPC batches. A read
 * that reverts is a result; only a failing node throws (ServiceError).
 */
export async function readMany<const T extends readonly ContractRead<unknown>[]>(
  client: ChainClient,
  reads: T,
  block: Pick<ChainBlock, "hash">,
): Promise<ReadResults<T>> {
  try {
    const overrides = reads.length > 2 ? await multicallOverrides(client) : null;
    const results =
      overrides === null
        ? await mapCalls(reads, (read) => readAlone(client, read, block))
        : await readInChunks(client, reads, { block, overrides });
    // Each result was decoded by the read at its own place, which is what the mapped type states.
    return results as ReadResults<T>;
  } catch (error) {
    throw explainRefusal(error);
  }
}

type Pinned = Pick<ChainBlock, "hash">;
type Source<B extends Pinned | "latest" = Pinned> = { block: B; overrides: readonly object[] };

/** The parameters after the block in an eth_call of Multicall3; null where neither the chain has its code nor a request can bring it. */
async function multicallOverrides(client: ChainClient): Promise<readonly object[] | null> {
  if (await readOnce(client, "multicall3", () => hasCode(client, MULTICALL))) return [];
  const takesProgram = await readOnce(client, "multicall_program", async () => {
    // At the newest block: the answer serves reads at all blocks, and the node may have replaced the block of this read.
    const answers = await aggregate(client, [], { block: "latest", overrides: PROGRAM_OVERRIDES });
    return answers !== null;
  });
  return takesProgram ? PROGRAM_OVERRIDES : null;
}

async function readInChunks(client: ChainClient, reads: readonly ContractRead<unknown>[], source: Source) {
  const chunks: (readonly ContractRead<unknown>[])[] = [];
  for (let start = 0; start < reads.length; start += CHUNK) chunks.push(reads.slice(start, start + CHUNK));
  const together = (await mapCalls(chunks, (chunk) => readChunk(client, chunk, source))).flat();
  return mapCalls(reads, async (read, position) => together[position] ?? readAlone(client, read, source.block));
}

/** Null for each read that has to be sent alone. */
async function readChunk(
  client: ChainClient,
  reads: readonly ContractRead<unknown>[],
  source: Source,
): Promise<(ReadResult<unknown> | null)[]> {
  const answers = await aggregate(client, reads, source);
  const decode = (read: ContractRead<unknown>, position: number) => {
    const answer = answers?.[position];
    // An inner call that ran out of gas looks like a revert without a reason. Sent alone, the read has the whole gas budget, and the
    // node's error shows which of the two it was.
    if (answer === undefined || answer.returnData === "0x") return null;
    return answer.success ? decoded(read, answer.returnData) : reverted(answer.returnData);
  };
  const results: (ReadResult<unknown> | null)[] = [];
  // To decode a list of thousands of ids takes milliseconds.
  await runInSlices(reads.values().map(decode), (result) => results.push(result));
  return results;
}

/**
 * What aggregate3 returns for the reads; null where the node refuses the call, or the answer is too large, or not that of a Multicall3.
 */
async function aggregate(
  client: ChainClient,
  reads: readonly ContractRead<unknown>[],
  { block, overrides }: Source<Pinned | "latest">,
): Promise<readonly { success: boolean; returnData: Hex }[] | null> {
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [reads.map((read) => ({ target: read.to, allowFailure: true, callData: read.data }))],
  });
  try {
    return decodeAggregate(await ethCall(client, { to: MULTICALL, data }, block, overrides));
  } catch (error) {
    if (error instanceof RpcRefusal || isTooLarge(error)) return null;
    throw error;
  }
}

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
    return decoded(read, await ethCall(client, { to: read.to, data: read.data }, block));
  } catch (error) {
    // A fault of the contract, not of the node: no view has a result of megabytes, and one such token must not fail the other reads.
    if (isTooLarge(error)) return { ...reverted(undefined), isBroken: true };
    if (!(error instanceof RpcRefusal)) throw error;
    if (!isExecutionFailure(error)) throw upstreamError({ kind: "node_error" }, "eth_call");
    return { ...reverted(error.data), outOfGas: isOutOfGas(error.message) };
  }
}

async function ethCall(
  client: ChainClient,
  call: { to: Address; data: Hex },
  block: Pinned | "latest",
  overrides: readonly object[] = [],
): Promise<Hex> {
  const at = block === "latest" ? block : blockReference(block);
  const returned = await client.rpc("eth_call", [call, at, ...overrides]);
  if (!isHex(returned)) throw upstreamError({ kind: "malformed" }, "eth_call");
  return returned;
}

/** By our limit, or by the node's own. */
function isTooLarge(error: unknown): boolean {
  if (error instanceof RpcRefusal) return !isExecutionFailure(error) && isTooLargeResult(error.message);
  return error instanceof ServiceError && error.details.failure === "too_large";
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

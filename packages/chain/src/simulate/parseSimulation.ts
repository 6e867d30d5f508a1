import type { RawLog } from "@dueday/core/events/decodeProtocolEvent";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import type { Revert } from "@dueday/core/reverts/revert";
import type { Hex } from "viem";
import { expectQuantity } from "../client/expectQuantity";
import { isBytes } from "../client/fitsMethod";
import { parseQuantity } from "../client/parseQuantity";
import { isOutOfGas, isRecord, nodeMessage } from "../client/parseRpcAnswer";
import { upstreamError } from "../client/upstreamError";
import { parseLogs } from "./parseLogs";

const METHOD = "eth_simulateV1";

/** The result of one simulated call. */
export type SimulatedCall = {
  success: boolean;
  gasUsed: bigint;
  /** In the order of emission, token transfers included; empty where the call failed. */
  logs: RawLog[];
  returnData: Hex;
  /** Present where the call failed, for lack of gas too. */
  revert?: Revert;
  /** It failed because gas ran out, its own or what the node allows for a request: not an answer of the contract. */
  outOfGas: boolean;
};

/** A block that was to be simulated. */
export type SimulatedBlock = {
  /** Gas limit of each call. */
  limits: readonly bigint[];
  number: bigint;
  /** Unix seconds. */
  time: bigint;
};

/**
 * Parses an answer of eth_simulateV1: the calls of all blocks, in order. Throws ServiceError UPSTREAM_ERROR unless it has exactly the
 * requested blocks and calls: not every node checks numbers, times and counts as specified.
 */
export function parseSimulation(answer: unknown, expected: readonly SimulatedBlock[]): SimulatedCall[] {
  if (!Array.isArray(answer) || answer.length !== expected.length) throw malformed();
  return expected.flatMap((block, index) => parseBlock(answer[index], block));
}

function parseBlock(block: unknown, expected: SimulatedBlock): SimulatedCall[] {
  if (!isRecord(block) || !Array.isArray(block.calls)) throw malformed();
  if (parseQuantity(block.number) !== expected.number || parseQuantity(block.timestamp) !== expected.time)
    throw malformed();
  const calls: unknown[] = block.calls;
  if (calls.length !== expected.limits.length) throw malformed();
  return expected.limits.map((limit, position) => parseCall(calls[position], limit));
}

function parseCall(call: unknown, limit: bigint): SimulatedCall {
  if (!isRecord(call)) throw malformed();
  const gasUsed = expectQuantity(call.gasUsed, METHOD);
  const { returnData = "0x" } = call;
  const status = expectQuantity(call.status, METHOD);
  if (!isBytes(returnData) || status > 1n || gasUsed > limit) throw malformed();
  const success = status === 1n;
  if (success) return { success, gasUsed, logs: parseLogs(call.logs, METHOD), returnData, outOfGas: false };
  const { error = {} } = call;
  if (!isRecord(error)) throw malformed();
  const message = nodeMessage(error);
  // geth has the revert data under error.data, with or beside returnData; anvil under returnData alone.
  const data = returnData === "0x" && isBytes(error.data) ? error.data : returnData;
  return {
    success,
    gasUsed,
    logs: [],
    returnData: data,
    revert: decodeRevert(data),
    outOfGas: isOutOfGas(message) || (usesUp(gasUsed, limit) && !/invalid opcode/i.test(message)),
  };
}

/** A call made by the contract gets 63/64 of the gas: when it runs out of gas, the rest is left and the contract reverts. */
export function usesUp(gasUsed: bigint, limit: bigint): boolean {
  return gasUsed * 64n >= limit * 62n;
}

function malformed() {
  return upstreamError({ kind: "malformed" }, METHOD);
}

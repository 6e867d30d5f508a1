import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import { type Address, type Hex, hexToBytes, isHex, numberToHex } from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainBlock } from "../block/chainBlock";
import { asServiceError } from "../client/asServiceError";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import { parseQuantity } from "../client/parseQuantity";
import { isExecutionFailure, isOutOfGas } from "../client/parseRpcAnswer";
import { RpcRefusal } from "../client/rpcOutcome";
import { upstreamError } from "../client/upstreamError";
import type { SimulatedCall } from "./parseSimulation";
import { repeatCall, type StateOverrides } from "./repeatCall";

export type CallOnceParameters = {
  from: Address;
  to: Address;
  data: Hex;
  block: ChainBlock;
  /** Gas limit; the node's own by default. */
  gas?: bigint;
  overrides?: StateOverrides;
};

type CallToMeasure = Omit<CallOnceParameters, "gas" | "overrides"> & {
  gas: bigint | undefined;
  overrides: StateOverrides | undefined;
};

/** `gasEstimated` is false where the gas is not known: then `gasUsed` is 0. */
export type CalledOnce = SimulatedCall & { gasEstimated: boolean };

/** What a transaction costs before its call, and each byte of its data, zero or not. */
const TRANSACTION_GAS = 21_000n;
const ZERO_BYTE_GAS = 4n;
const BYTE_GAS = 16n;
/** More than any call of the protocol except remit() needs; nodes limit the gas of a whole request to 50 million. */
export const GAS_PER_CALL = 12_000_000n;

/**
 * One call by eth_call and eth_estimateGas on the state after `block`, for nodes without eth_simulateV1. It has no logs, and its
 * gas is the limit that the call needs, not what it uses. Where eth_estimateGas takes no overrides, the call is measured by eth_call.
 */
export async function callOnce(
  client: ChainClient,
  { from, to, data, block, gas: limit, overrides }: CallOnceParameters,
): Promise<CalledOnce> {
  const call = { from, to, data, ...(limit === undefined ? {} : { gas: numberToHex(limit) }) };
  const parameters = [call, blockReference(block), ...(overrides === undefined ? [] : [overrides])];
  const [returned, gas] = await Promise.all([
    answerOf(client, "eth_call", parameters),
    answerOf(client, "eth_estimateGas", parameters),
  ]);
  if (returned instanceof RpcRefusal) {
    if (!isExecutionFailure(returned)) throw explainRefusal(returned);
    const { data: returnData = "0x", message } = returned;
    const outOfGas = isOutOfGas(message);
    const revert = decodeRevert(returnData);
    return { success: false, gasUsed: 0n, gasEstimated: false, logs: [], returnData, revert, outOfGas };
  }
  const estimate = gas instanceof RpcRefusal ? null : parseQuantity(gas);
  const gasUsed = estimate ?? (await measureGas(client, { from, to, data, block, gas: limit, overrides })) ?? 0n;
  return { success: true, gasUsed, gasEstimated: gasUsed > 0n, logs: [], returnData: returned, outOfGas: false };
}

/** Gas before refunds; null where the node takes no overrides, or the data is too long to be repeated. */
async function measureGas(
  client: ChainClient,
  { from, to, data, block, gas = GAS_PER_CALL, overrides = {} }: CallToMeasure,
): Promise<bigint | null> {
  const calls = await repeatCall(client, { from, to, data, count: 1, gas, block, overrides });
  if (calls?.[0]?.success !== true) return null;
  const ofData = hexToBytes(data).reduce((sum, byte) => sum + (byte === 0 ? ZERO_BYTE_GAS : BYTE_GAS), 0n);
  return TRANSACTION_GAS + ofData + calls[0].gasUsed;
}

async function answerOf(client: ChainClient, method: string, parameters: unknown): Promise<Hex | RpcRefusal> {
  try {
    const answer = await client.rpc(method, parameters);
    if (!isHex(answer)) throw upstreamError({ kind: "malformed" }, method);
    return answer;
  } catch (error) {
    if (error instanceof RpcRefusal) return error;
    throw asServiceError(error);
  }
}

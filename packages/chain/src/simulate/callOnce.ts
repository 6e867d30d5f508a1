import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import { type Address, type Hex, isHex } from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainBlock } from "../block/chainBlock";
import { asServiceError } from "../client/asServiceError";
import type { ChainClient } from "../client/createChainClient";
import { parseQuantity } from "../client/parseQuantity";
import { isOutOfGas } from "../client/parseRpcAnswer";
import { RpcRefusal } from "../client/rpcOutcome";
import { upstreamError } from "../client/upstreamError";
import type { SimulatedCall } from "./parseSimulation";

/** Storage set before a call, as eth_call takes it. */
export type StateOverrides = Record<Address, { stateDiff: Record<Hex, Hex> }>;

export type CallOnceParameters = {
  from: Address;
  to: Address;
  data: Hex;
  block: ChainBlock;
  overrides?: StateOverrides;
};

/** `gasEstimated` is false where the node gave no estimate: then `gasUsed` is 0. */
export type CalledOnce = SimulatedCall & { gasEstimated: boolean };

/**
 * One call by eth_call and eth_estimateGas on the state after `block`, for nodes without eth_simulateV1. It has no logs, and its
 * gas is the limit that the call needs, not what it uses.
 */
export async function callOnce(
  client: ChainClient,
  { from, to, data, block, overrides }: CallOnceParameters,
): Promise<CalledOnce> {
  const parameters = [{ from, to, data }, blockReference(block), ...(overrides === undefined ? [] : [overrides])];
  const [returned, gas] = await Promise.all([
    answerOf(client, "eth_call", parameters),
    answerOf(client, "eth_estimateGas", parameters),
  ]);
  if (returned instanceof RpcRefusal) {
    const { data: returnData = "0x", message } = returned;
    const outOfGas = isOutOfGas(message);
    const revert = decodeRevert(returnData);
    return { success: false, gasUsed: 0n, gasEstimated: false, logs: [], returnData, revert, outOfGas };
  }
  const gasUsed = gas instanceof RpcRefusal ? 0n : (parseQuantity(gas) ?? 0n);
  return { success: true, gasUsed, gasEstimated: gasUsed > 0n, logs: [], returnData: returned, outOfGas: false };
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

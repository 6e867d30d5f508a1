import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import type { Call } from "./callAtHead";
import type { NodeProfile, RangeRefusal } from "./nodeProfile";

type Json = Record<string, unknown>;

/** The error of a call that the node does not take; null for one that it takes. `head` is asked for only where it matters. */
export async function refusedCall(
  { method, params }: Call,
  { without, gasCap, logsRange }: NodeProfile,
  head: () => Promise<number>,
): Promise<Json | null> {
  if (without?.methods.includes(method)) {
    return without.refusal === "-32601"
      ? { code: -32601, message: `the method ${method} does not exist/is not available` }
      : { code: -32600, message: "Method is not allowed on this plan" };
  }
  if (gasCap !== undefined && gasOf(method, params).some((gas) => gas > gasCap)) {
    return { code: -32000, message: `transaction gas limit too high (cap: ${gasCap})` };
  }
  const filter = params[0];
  if (logsRange === undefined || method !== "eth_getLogs" || !isRecord(filter)) return null;
  if (filter.blockHash !== undefined) return null;
  const last = typeof filter.toBlock === "string" && filter.toBlock.startsWith("0x") ? filter.toBlock : await head();
  const asked = { from: Number(filter.fromBlock), blocks: Number(last) - Number(filter.fromBlock) + 1 };
  return asked.blocks > logsRange.blocks ? rangeRefusals[logsRange.refusal](asked, logsRange.blocks) : null;
}

type Asked = { from: number; blocks: number };

const rangeRefusals: Record<RangeRefusal, (asked: Asked, most: number) => Json> = {
  "-32005": (_, most) => ({ code: -32005, message: `block range is too wide, ${most} at most` }),
  "-32602": ({ blocks }, most) => ({ code: -32602, message: `range ${blocks} exceeds limit of ${most}` }),
  "-32600": ({ from }, most) => ({
    code: -32600,
    message:
      `You can make eth_getLogs requests with up to a ${most} block range. ` +
      `Based on your parameters, this block range should work: [0x${from.toString(16)}, 0x${(from + most - 1).toString(16)}]`,
  }),
  "-32062": (_, most) => ({ code: -32062, message: `Block range is too large, maximum is ${most}` }),
  "-32000": ({ blocks }, most) => ({
    code: -32000,
    message: `block range is larger than max block range, block range = ${blocks}, max block range = ${most}`,
  }),
};

/** The gas limits that a call names. */
function gasOf(method: string, params: readonly unknown[]): number[] {
  const [first] = params;
  if (!isRecord(first)) return [];
  if (method === "eth_call" || method === "eth_estimateGas") return first.gas === undefined ? [] : [Number(first.gas)];
  if (method !== "eth_simulateV1" || !Array.isArray(first.blockStateCalls)) return [];
  return first.blockStateCalls
    .flatMap((block: unknown) => (isRecord(block) && Array.isArray(block.calls) ? block.calls : []))
    .flatMap((call: unknown) => (isRecord(call) && call.gas !== undefined ? [Number(call.gas)] : []));
}

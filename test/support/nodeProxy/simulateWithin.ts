import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import type { SimulationLimits } from "./nodeProfile";

type Json = Record<string, unknown>;
type Ask = (method: string, params: unknown[]) => Promise<Json>;

/** Gas that a transaction needs before its call. */
const TRANSACTION_GAS = 21_000;

/**
 * The answer to eth_simulateV1 of a node with these limits. As in geth, the gas that calls have used reduces what is left of their block's
 * limit, which is the header's, and of the request's, whatever their own limits are.
 */
export async function simulateWithin(ask: Ask, params: unknown[], limits: SimulationLimits): Promise<Json> {
  const [payload] = params;
  if (!isRecord(payload) || !Array.isArray(payload.blockStateCalls)) return ask("eth_simulateV1", params);
  const blocks: unknown[] = payload.blockStateCalls;
  const base = await baseBlock(ask, params[1]);
  const fault = wrongTime(blocks, Number(base.timestamp), limits.risingTimes === true);
  if (fault !== null) return fault;
  const gas = blocks.map((block) => callsOf(block).map((call) => Number(call.gas)));
  for (;;) {
    const answer = await ask("eth_simulateV1", [withGas(payload, gas), ...params.slice(1)]);
    if (!Array.isArray(answer.result)) return answer;
    const used = answer.result.map((block: unknown) => callsOf(block).map(({ gasUsed }) => Number(gasUsed)));
    const refusal = limits.blockGas === true ? beyondBlock(gas, used, Number(base.gasLimit)) : null;
    if (refusal !== null) return refusal;
    const left = limits.requestGas === undefined ? null : firstShort(gas, used, limits.requestGas);
    if (left === null) return answer;
    if (left.gas < TRANSACTION_GAS) return error(-38013, `intrinsic gas too low: have ${left.gas}`);
    const calls = gas[left.block];
    if (calls !== undefined) calls[left.call] = left.gas;
  }
}

async function baseBlock(ask: Ask, named: unknown): Promise<Json> {
  const reference = isRecord(named) ? (named.blockHash ?? named.blockNumber) : (named ?? "latest");
  const isHash = typeof reference === "string" && reference.length === 66;
  const { result } = await ask(isHash ? "eth_getBlockByHash" : "eth_getBlockByNumber", [reference, false]);
  if (!isRecord(result)) throw new Error(`the node does not have block ${String(reference)}`);
  return result;
}

function callsOf(block: unknown): Json[] {
  return isRecord(block) && Array.isArray(block.calls) ? block.calls.filter(isRecord) : [];
}

function wrongTime(blocks: readonly unknown[], start: number, mustRise: boolean): Json | null {
  let before = start;
  for (const block of blocks) {
    const overrides = isRecord(block) && isRecord(block.blockOverrides) ? block.blockOverrides : {};
    const time = overrides.time === undefined ? before + 1 : Number(overrides.time);
    if (time < before || (mustRise && time === before)) {
      return error(-38021, `block timestamps must be in order: ${time} <= ${before}`);
    }
    before = time;
  }
  return null;
}

function withGas(payload: Json, gas: readonly (readonly number[])[]): Json {
  const blocks: unknown[] = Array.isArray(payload.blockStateCalls) ? payload.blockStateCalls : [];
  const blockStateCalls = blocks.map((block, index) => ({
    ...(isRecord(block) ? block : {}),
    calls: callsOf(block).map((call, place) => ({ ...call, gas: `0x${(gas[index]?.[place] ?? 0).toString(16)}` })),
  }));
  return { ...payload, blockStateCalls };
}

function beyondBlock(gas: readonly number[][], used: readonly number[][], blockGas: number): Json | null {
  for (const [index, calls] of gas.entries()) {
    let sum = 0;
    for (const [place, limit] of calls.entries()) {
      if (sum + limit > blockGas) return error(-38015, `block gas limit reached: ${sum + limit} >= ${blockGas}`);
      sum += used[index]?.[place] ?? 0;
    }
  }
  return null;
}

/** The first call whose gas is above what the request has left; null where there is none. */
function firstShort(gas: readonly number[][], used: readonly number[][], requestGas: number) {
  let left = requestGas;
  for (const [block, calls] of gas.entries()) {
    for (const [call, limit] of calls.entries()) {
      if (limit > left) return { block, call, gas: left };
      left -= used[block]?.[call] ?? 0;
    }
  }
  return null;
}

function error(code: number, message: string): Json {
  return { error: { code, message } };
}

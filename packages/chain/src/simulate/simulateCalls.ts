import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { type Address, type Hex, numberToHex } from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import { correctFact, readOnce } from "../client/readOnce";
import { RpcRefusal } from "../client/rpcOutcome";
import { parseSimulation, type SimulatedCall } from "./parseSimulation";

export type CallRequest = {
  from: Address;
  to: Address;
  data: Hex;
  /** Wei; 0 by default. */
  value?: bigint;
  /** Gas limit; an equal share of the block's by default. */
  gas?: bigint;
};

export type SimulateCallsParameters = {
  calls: readonly CallRequest[];
  block: ChainBlock;
  /** Time of the simulated blocks in unix seconds; a second after `block` by default. */
  time?: bigint | undefined;
};

/** The most calls in one request: nodes have no common limit, and a prepare needs three. */
export const SIMULATED_CALLS_LIMIT = 1_000;

/** Simulated blocks of one request at most: geth and others refuse more. */
const SIMULATED_BLOCKS_LIMIT = 256;

/** Facts about a node: whether simulated blocks may have the same time, and whether one may have several calls. */
const EQUAL_TIMES = "equal times of simulated blocks";
const SHARED_BLOCKS = "several calls in a simulated block";

/** Codes of eth_simulateV1 in the execution-apis specification. */
export const BLOCK_GAS_EXCEEDED = -38015;
const TIMES_NOT_RISING = -38021;
const CLIENT_LIMIT_EXCEEDED = -38026;

/** Balance of every sender in a simulation, so that a sender without ether does not make a node refuse the request. */
const SENDER_BALANCE = 2n ** 100n;

/**
 * Runs calls one after another on the state after `block`, as transactions of the simulated blocks that follow it (eth_simulateV1);
 * results in order. There are as many blocks as the calls' gas limits need, each within the gas limit of `block`; or, on a node that refuses several calls in a block, one for each call. They have the same
 * time, or, on a node that refuses this, times that rise by a second within one UTC day. A call that reverts leaves the others alone.
 * Throws ServiceError UPSTREAM_* where the node fails, or refuses the request as a whole; RangeError beyond 1,000 calls.
 */
export async function simulateCalls(
  client: ChainClient,
  parameters: SimulateCallsParameters,
): Promise<SimulatedCall[]> {
  try {
    return await requestSimulation(client, parameters);
  } catch (error) {
    throw explainRefusal(error);
  }
}

/** Like `simulateCalls`, but a request that the node refuses as a whole rejects with RpcRefusal. */
export async function requestSimulation(
  client: ChainClient,
  { calls, block, time = block.timestamp + 1n }: SimulateCallsParameters,
): Promise<SimulatedCall[]> {
  if (calls.length === 0) return [];
  if (calls.length > SIMULATED_CALLS_LIMIT) {
    throw new RangeError(`${calls.length} calls are more than the ${SIMULATED_CALLS_LIMIT} of one simulation`);
  }
  const share = block.gasLimit / BigInt(calls.length);
  const limited = calls.map((call) => ({ ...call, gas: call.gas ?? share }));
  for (;;) {
    const [hasEqualTimes, sharesBlocks] = await Promise.all([
      readOnce(client, EQUAL_TIMES, async () => true),
      readOnce(client, SHARED_BLOCKS, async () => true),
    ]);
    const parts = sharesBlocks ? inBlocks(limited, block.gasLimit) : limited.map((call) => [call]);
    const times = blockTimes(parts.length, { block, time, hasEqualTimes });
    // The same refusal that the node would send.
    if (times === null || parts.length > SIMULATED_BLOCKS_LIMIT) throw tooManyBlocks(parts.length);
    try {
      return await askFor(client, { block, parts, times });
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      const isAboutTime = error.code === TIMES_NOT_RISING && hasEqualTimes && parts.length > 1;
      const isAboutGas = error.code === BLOCK_GAS_EXCEEDED && parts.length < limited.length;
      if (isAboutTime) correctFact(client, EQUAL_TIMES, false);
      else if (isAboutGas) correctFact(client, SHARED_BLOCKS, false);
      else throw error;
    }
  }
}

type LimitedCall = CallRequest & { gas: bigint };
type Parts = readonly (readonly LimitedCall[])[];

/**
 * The calls, in order, cut into simulated blocks. The gas limits of the calls of one block add up to `blockGas` at most: a node compares the
 * limit of a call with the gas that the calls before it have left, or with what their limits leave.
 */
function inBlocks(calls: readonly LimitedCall[], blockGas: bigint): LimitedCall[][] {
  const blocks: LimitedCall[][] = [];
  let left = 0n;
  for (const call of calls) {
    const last = blocks.at(-1);
    if (last !== undefined && call.gas <= left) last.push(call);
    else {
      blocks.push([call]);
      left = blockGas;
    }
    left -= call.gas;
  }
  return blocks;
}

/**
 * Times of simulated blocks: all `time`, where the node accepts that; else rising by a second within the day of `time`, which calls
 * depend on. Null where the day has no room for this number after `block`.
 */
function blockTimes(
  count: number,
  { block, time, hasEqualTimes }: { block: ChainBlock; time: bigint; hasEqualTimes: boolean },
): bigint[] | null {
  if (hasEqualTimes) return Array.from({ length: count }, () => time);
  const dayEnd = BigInt((dayNumber(time) + 1) * DAY_SECONDS - 1);
  const room = dayEnd - BigInt(count - 1);
  const first = time < room ? time : room;
  return first > block.timestamp ? Array.from({ length: count }, (_, index) => first + BigInt(index)) : null;
}

async function askFor(
  client: ChainClient,
  { block, parts, times }: { block: ChainBlock; parts: Parts; times: readonly bigint[] },
): Promise<SimulatedCall[]> {
  const blocks = parts.map((calls, index) => ({
    calls,
    limits: calls.map(({ gas }) => gas),
    number: block.number + 1n + BigInt(index),
    time: times[index] ?? block.timestamp + 1n,
  }));
  const senders = parts.flat().map(({ from }) => [from, { balance: numberToHex(SENDER_BALANCE) }]);
  const payload = {
    blockStateCalls: blocks.map(({ calls, number, time }, index) => ({
      // Set by hand: nodes disagree about the number and time of the first simulated block.
      blockOverrides: { number: numberToHex(number), time: numberToHex(time) },
      ...(index === 0 && { stateOverrides: Object.fromEntries(senders) }),
      calls: calls.map(({ from, to, data, value = 0n, gas }) => ({
        from,
        to,
        data,
        value: numberToHex(value),
        gas: numberToHex(gas),
      })),
    })),
    validation: false,
    traceTransfers: false,
    returnFullTransactions: false,
  };
  const answer = await client.rpc("eth_simulateV1", [payload, blockReference(block)]);
  return parseSimulation(answer, blocks);
}

function tooManyBlocks(blocks: number): RpcRefusal {
  const message = `${blocks} simulated blocks are too many`;
  return new RpcRefusal(CLIENT_LIMIT_EXCEEDED, message, undefined, { method: "eth_simulateV1" });
}

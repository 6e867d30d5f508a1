import { type Address, type Hex, numberToHex } from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
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
  /** Time of the simulated block in unix seconds; a second after `block` by default. */
  time?: bigint | undefined;
};

/** Most calls in one request: nodes have no common limit, and a prepare needs three. */
export const SIMULATED_CALLS_LIMIT = 1_000;

/** Balance of every sender in a simulation, so that a sender without ether does not make a node refuse the request. */
const SENDER_BALANCE = 2n ** 100n;

/**
 * Runs calls one after another on the state after `block`, as transactions of one simulated block (eth_simulateV1) whose
 * number is the next; results in order. A call that reverts leaves the others alone.
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
  const limits = calls.map((call) => call.gas ?? share);
  const number = block.number + 1n;
  const payload = {
    blockStateCalls: [
      {
        // Set by hand: nodes disagree about the number and time of the first simulated block.
        blockOverrides: { number: numberToHex(number), time: numberToHex(time) },
        stateOverrides: Object.fromEntries(calls.map(({ from }) => [from, { balance: numberToHex(SENDER_BALANCE) }])),
        calls: calls.map(({ from, to, data, value }, position) => ({
          from,
          to,
          data,
          value: numberToHex(value ?? 0n),
          gas: numberToHex(limits[position] ?? share),
        })),
      },
    ],
    validation: false,
    traceTransfers: false,
    returnFullTransactions: false,
  };
  const answer = await client.rpc("eth_simulateV1", [payload, blockReference(block)]);
  return parseSimulation(answer, { limits, number, time });
}

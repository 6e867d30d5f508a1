import { type Address, type Hex, numberToHex } from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";
import { parseSimulation, type SimulatedCall } from "./parseSimulation";

export type SentCall = { to: Address; data: Hex; gas: bigint };

export type SimulateSentParameters = {
  from: Address;
  calls: readonly SentCall[];
  /** Wei per gas, as they would be signed. */
  fees: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };
  block: ChainBlock;
};

/** Codes of eth_simulateV1 for calls that can't be sent as they are: nonce, fee, gas, balance, and limits of a block. */
const FIRST_CALL_FAULT = -38_026;
const LAST_CALL_FAULT = -38_010;

/**
 * Runs transactions of one sender as they would be sent: at their price, from the sender's own balance, each in a separate simulated
 * block after `block`, a second later than the one before. So a contract sees the gas price and base fee that it will see when the transaction is mined.
 * A node that does not validate transactions in a simulation runs them without validation. Results in order; one that reverts leaves the others alone.
 * Rejects with RpcRefusal where the node refuses the request as a whole (the balance does not pay for the gas, too much gas), or with
 * ServiceError UPSTREAM_* where the node fails.
 */
export async function simulateSent(client: ChainClient, parameters: SimulateSentParameters): Promise<SimulatedCall[]> {
  if (parameters.calls.length === 0) return [];
  try {
    return await request(client, parameters, true);
  } catch (error) {
    if (!(error instanceof RpcRefusal) || isCallFault(error)) throw error;
    return request(client, parameters, false);
  }
}

function isCallFault({ code }: RpcRefusal): boolean {
  return code >= FIRST_CALL_FAULT && code <= LAST_CALL_FAULT;
}

async function request(
  client: ChainClient,
  { from, calls, fees, block }: SimulateSentParameters,
  validation: boolean,
): Promise<SimulatedCall[]> {
  const simulated = calls.map((call, index) => ({
    call,
    number: block.number + BigInt(index) + 1n,
    time: block.timestamp + BigInt(index) + 1n,
  }));
  const price = {
    maxFeePerGas: numberToHex(fees.maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(fees.maxPriorityFeePerGas),
  };
  const blockStateCalls = simulated.map(({ call: { to, data, gas }, number, time }) => ({
    // Set by hand: nodes disagree about number and time of simulated blocks, and some want rising times.
    blockOverrides: { number: numberToHex(number), time: numberToHex(time) },
    calls: [{ from, to, data, gas: numberToHex(gas), ...price }],
  }));
  const payload = { blockStateCalls, validation, traceTransfers: false, returnFullTransactions: false };
  const answer = await client.rpc("eth_simulateV1", [payload, blockReference(block)]);
  return parseSimulation(
    answer,
    simulated.map(({ call, number, time }) => ({ limits: [call.gas], number, time })),
  );
}

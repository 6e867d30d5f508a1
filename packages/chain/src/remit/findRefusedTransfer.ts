import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import type { RemitEvent } from "@dueday/core/remit/remitEvent";
import { type Address, encodeFunctionData, parseAbi } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";
import { transactionGasLimit } from "../fees/transactionGasLimit";
import { callOnce } from "../simulate/callOnce";
import { canSimulate } from "../simulate/canSimulate";
import type { SimulatedCall } from "../simulate/parseSimulation";
import { type CallRequest, requestSimulation, SIMULATED_CALLS_LIMIT } from "../simulate/simulateCalls";

/** An account whose transfers a token refuses, with the reason that the token gives. */
export type RefusedTransfer = { token: Address; account: Address; reason: string };

export type FindRefusedTransferParameters = {
  contract: Address;
  from: Address;
  block: ChainBlock;
  /** Gas that each call of remit() before the blocked one uses. */
  before: readonly bigint[];
  /** What the blocked call would emit if the token did not refuse, by the model. */
  events: readonly RemitEvent[];
};

type Transfer = Extract<RemitEvent, { event: "Transfer" }>;

const transferAbi = parseAbi([
  "function transfer(address to, uint256 value)",
  "function transferFrom(address from, address to, uint256 value)",
]);

const TRANSFER_GAS = 300_000n;

/**
 * Finds the account whose transfer blocks remit(): after the calls that succeed, the transfers of the blocked call are simulated
 * one by one as the protocol, in one request; then sender and receiver of the first that is refused are tried alone. Null where
 * none is refused, or the node does not simulate this number of calls. On a node without simulations each account is tried alone.
 */
export async function findRefusedTransfer(
  client: ChainClient,
  parameters: FindRefusedTransferParameters,
): Promise<RefusedTransfer | null> {
  const { contract, block, events } = parameters;
  const transfers = events.filter((event) => event.event === "Transfer");
  if (!(await canSimulate(client, { block }))) return tryEachAlone(client, parameters, transfers);
  const results = await simulateAfter(
    client,
    parameters,
    transfers.map((transfer) => transferCall(contract, transfer)),
  );
  const index = results?.findIndex(isRefused) ?? -1;
  const refused = transfers[index];
  const result = results?.[index];
  if (refused === undefined || result === undefined) return null;
  const { token, from, to } = refused;
  const ends = [...new Set([to, from])].filter((account) => account !== contract);
  const alone = await simulateAfter(
    client,
    parameters,
    ends.map((account) =>
      transferCall(contract, {
        token,
        from: account === to ? contract : account,
        to: account === to ? to : contract,
        value: 0n,
      }),
    ),
  );
  const account =
    ends.find((_, place) => alone?.[place] !== undefined && isRefused(alone[place])) ?? ends[0] ?? contract;
  return { token, account, reason: reasonOf(result) };
}

/** The protocol reverts where a transfer reverts, and where it returns something else than true. */
function isRefused({ success, returnData }: SimulatedCall): boolean {
  return !success || (returnData !== "0x" && BigInt(returnData) !== 1n);
}

function reasonOf({ success, revert }: SimulatedCall): string {
  return success ? "SafeERC20FailedOperation" : (revert?.code ?? "");
}

/** The largest number of accounts that are tried, one eth_call each. */
const MOST_ALONE = 200;

/** The first account, in the order of the transfers, of which the token refuses even a transfer of 0. */
async function tryEachAlone(
  client: ChainClient,
  { contract, block }: FindRefusedTransferParameters,
  transfers: readonly Transfer[],
): Promise<RefusedTransfer | null> {
  const tried = new Map<string, { token: Address; account: Address; call: CallRequest }>();
  for (const { token, from, to } of transfers) {
    for (const account of [from, to]) {
      if (account === contract || tried.size >= MOST_ALONE) continue;
      const ends = account === from ? { from, to: contract } : { from: contract, to };
      tried.set(`${token} ${account}`, { token, account, call: transferCall(contract, { token, ...ends, value: 0n }) });
    }
  }
  const reasons = await Promise.all(
    [...tried.values()].map(async ({ token, account, call }) => {
      const result = await callOnce(client, { ...call, block });
      return isRefused(result) ? [{ token, account, reason: reasonOf(result) }] : [];
    }),
  );
  return reasons.flat()[0] ?? null;
}

/** Results of `calls` after the calls of remit() that succeed; null where the node refuses. */
async function simulateAfter(
  client: ChainClient,
  { contract, from, block, before }: FindRefusedTransferParameters,
  calls: readonly CallRequest[],
): Promise<SimulatedCall[] | null> {
  // A refund may be a fifth of the gas, and calls keep back a part of it: twice the gas used suffices.
  const gasCap = transactionGasLimit(client, block);
  const remits = before.map((used) => {
    return { from, to: contract, data: encodeRemit(), gas: 2n * used < gasCap ? 2n * used : gasCap };
  });
  const all = [...remits, ...calls].slice(0, SIMULATED_CALLS_LIMIT);
  try {
    return (await requestSimulation(client, { calls: all, block })).slice(before.length);
  } catch (error) {
    if (error instanceof RpcRefusal) return null;
    throw error;
  }
}

function transferCall(contract: Address, { token, from, to, value }: Omit<Transfer, "event">): CallRequest {
  const data =
    from === contract
      ? encodeFunctionData({ abi: transferAbi, functionName: "transfer", args: [to, value] })
      : encodeFunctionData({ abi: transferAbi, functionName: "transferFrom", args: [from, to, value] });
  return { from: contract, to: token, data, gas: TRANSFER_GAS };
}

import { type Address, type Hex, isHex } from "viem";
import { blockReference } from "../../block/blockReference";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { RpcRefusal } from "../../client/rpcOutcome";

export type RunProgramParameters = {
  /** Has the program's code for the length of the call. */
  at: Address;
  code: Hex;
  data: Hex;
  block: ChainBlock;
};

/**
 * What an EVM program that the request carries returns on the state after `block`. Null where the node refuses it, for example because it
 * takes no state overrides. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function runProgram(
  client: ChainClient,
  { at, code, data, block }: RunProgramParameters,
): Promise<Hex | null> {
  try {
    const answer = await client.rpc("eth_call", [{ to: at, data }, blockReference(block), { [at]: { code } }]);
    return isHex(answer) ? answer : null;
  } catch (error) {
    if (error instanceof RpcRefusal) return null;
    throw error;
  }
}

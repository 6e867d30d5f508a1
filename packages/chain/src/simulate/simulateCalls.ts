import type { Revert } from "@dueday/core/errors";
import type { RawLog } from "@dueday/core/events/decodeEvent";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";

export type SimulatedCallRequest = { from: Address; to: Address; data: Hex; value?: bigint; gas?: bigint };

export type SimulatedCall = {
  success: boolean;
  gasUsed: bigint;
  logs: RawLog[];
  returnData: Hex;
  /** Present on a call that reverted. */
  revert?: Revert;
  /** True where the call failed for want of gas, the call's own or what the node allows a request: no word of the contract. */
  outOfGas: boolean;
};

/** Runs calls one after another on the state after `block`, in one simulated block. */
export async function simulateCalls(
  _client: ChainClient,
  _parameters: { calls: readonly SimulatedCallRequest[]; block: ChainBlock },
): Promise<SimulatedCall[]> {
  throw new Error("not built yet");
}

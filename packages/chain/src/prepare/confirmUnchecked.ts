import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { callOnce } from "../simulate/callOnce";
import type { BatchSimulation } from "../simulate/simulateBatch";
import type { PlannedCall } from "./preparePlan";

/** An account without tokens. */
const NOBODY: Address = "0x00000000000000000000000000000000000d0e03";

type ConfirmUnchecked = {
  calls: readonly PlannedCall[];
  simulation: BatchSimulation;
  block: ChainBlock;
};

/**
 * Whether the first call that fails does so by a number in its `unchecked`, and that number is the protocol's here. The protocol checks these
 * before it moves a token, so an account without any gets the same number; a token that reverts with it does so for its own accounts alone.
 */
export async function confirmUnchecked(
  client: ChainClient,
  { calls, simulation: { results }, block }: ConfirmUnchecked,
): Promise<boolean> {
  const index = results.findIndex(({ success }) => !success);
  const code = results[index]?.revert?.code;
  const call = calls[index];
  if (code === undefined || call?.unchecked?.includes(code) !== true) return false;
  const { revert } = await callOnce(client, { from: NOBODY, to: call.to, data: call.data, block });
  return revert?.code === code;
}

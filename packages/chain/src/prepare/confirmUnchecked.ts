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
 * Whether the first call that fails reverts with a number in its `unchecked`, and the protocol itself gives that number. The protocol checks
 * these numbers before it moves a token, so the same call by an account without tokens reverts with the same number. A token that uses the
 * number as its own reason gives it only to accounts that hold the token.
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

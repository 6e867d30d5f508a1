import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { callOnce } from "../simulate/callOnce";
import type { BatchCall, BatchSimulation } from "../simulate/simulateBatch";
import type { PreparePlan } from "./preparePlan";

/** An account without tokens. */
const NOBODY: Address = "0x00000000000000000000000000000000000d0e03";

type ConfirmUnchecked<F extends object> = {
  plan: PreparePlan<F>;
  calls: readonly BatchCall[];
  simulation: BatchSimulation;
  block: ChainBlock;
};

/**
 * The numbers of `plan.unchecked` that are the protocol's here. It checks them before it moves a token, so an account without any gets the
 * same number; a token that reverts with it does so for its own accounts alone.
 */
export async function confirmUnchecked<F extends object>(
  client: ChainClient,
  { plan: { unchecked = [] }, calls, simulation, block }: ConfirmUnchecked<F>,
): Promise<readonly string[]> {
  const code = simulation.results[calls.length - 1]?.revert?.code;
  const call = calls.at(-1);
  if (code === undefined || call === undefined || !unchecked.includes(code)) return [];
  const { revert } = await callOnce(client, { from: NOBODY, to: call.to, data: call.data, block });
  return revert?.code === code ? [code] : [];
}

import type { RemitPlan } from "@dueday/core/remit/plan";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";

/** What remit(), called again and again by `from` on the state after `block`, would do, asked of the chain. */
export async function planRemit(
  _client: ChainClient,
  _parameters: { contract: Address; from: Address; block: ChainBlock; expectedTransactions?: number },
): Promise<RemitPlan> {
  throw new Error("not built yet");
}

import type { ApprovedTokens } from "@dueday/core/snapshots/approvedTokens";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";

/** What the protocol says of each of `tokens`, in their order. */
export async function readApprovedTokens(
  _client: ChainClient,
  _parameters: { contract: Address; tokens: readonly Address[]; block: ChainBlock },
): Promise<ApprovedTokens> {
  throw new Error("not built yet");
}

import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";

/** What calling remit() from `from` would do now, what it earns and costs, and what it would miss. */
export async function readRemitReadiness(
  _client: ChainClient,
  _parameters: { contract: Address; from: Address; block: ChainBlock },
): Promise<RemitReadiness> {
  throw new Error("not built yet");
}

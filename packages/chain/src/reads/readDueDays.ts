import type { DueDay } from "@dueday/core/snapshots/dueDay";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";

/** What the due lists hold at a block for each of `days` (day numbers), in their order. */
export async function readDueDays(
  _client: ChainClient,
  _parameters: { contract: Address; days: readonly number[]; block: ChainBlock },
): Promise<DueDay[]> {
  throw new Error("not built yet");
}

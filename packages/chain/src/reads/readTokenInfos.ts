import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";

/** By checksummed address. */
export type TokenInfos = ReadonlyMap<Address, TokenInfo>;

/** Symbol and decimals (those of the protocol's record) of each token, cached for the life of the client. */
export async function readTokenInfos(
  _client: ChainClient,
  _parameters: { contract: Address; tokens: readonly Address[]; block: ChainBlock },
): Promise<TokenInfos> {
  throw new Error("not built yet");
}

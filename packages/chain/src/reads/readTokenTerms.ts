import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import { type Address, zeroAddress } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectToken } from "./expectToken";
import { expectValue, protocolRead } from "./protocolRead";
import { readMany } from "./readMany";
import { readTokenInfos } from "./readTokenInfos";

/** The conditions for new subscriptions in a token. */
export type TokenTerms = {
  token: TokenInfo;
  approved: boolean;
  paused: boolean;
  /** Lowest amount of a subscription, 18 decimals. */
  minimum: bigint;
  /** The first day that remit() has not closed. */
  nextUncheckedDay: number;
};

/** One round trip. Throws ServiceError UPSTREAM_* where the node fails. */
export async function readTokenTerms(
  client: ChainClient,
  { contract, token, block }: { contract: Address; token: Address; block: ChainBlock },
): Promise<TokenTerms> {
  const [[approval, nextDay], tokens] = await Promise.all([
    readMany(
      client,
      [protocolRead(contract, "approvedERC20", [token]), protocolRead(contract, "nextUncheckedDay", [])],
      block,
    ),
    readTokenInfos(client, { contract, tokens: [token], block }),
  ]);
  const [recorded, , paused, minimum] = expectValue(approval, "approvedERC20");
  const nextUncheckedDay = expectValue(nextDay, "nextUncheckedDay");
  return { token: expectToken(tokens, token), approved: recorded !== zeroAddress, paused, minimum, nextUncheckedDay };
}

import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectValue, protocolRead } from "../reads/protocolRead";
import { readMany } from "../reads/readMany";

export type ChargeTermsParameters = { contract: Address; token: Address; block: Pick<ChainBlock, "hash"> };

/** How far days are closed, and whether the protocol has paused the token. */
export type ChargeTerms = { nextUncheckedDay: number; isPaused: boolean };

/** One round trip. Throws ServiceError UPSTREAM_* where the node fails. */
export async function readChargeTerms(
  client: ChainClient,
  { contract, token, block }: ChargeTermsParameters,
): Promise<ChargeTerms> {
  const [nextDay, approval] = await readMany(
    client,
    [protocolRead(contract, "nextUncheckedDay", []), protocolRead(contract, "approvedERC20", [token])],
    block,
  );
  return {
    nextUncheckedDay: expectValue(nextDay, "nextUncheckedDay"),
    isPaused: expectValue(approval, "approvedERC20")[2],
  };
}

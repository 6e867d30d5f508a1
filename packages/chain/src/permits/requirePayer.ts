import { protocolRefusal } from "@dueday/core/refusal";
import type { Address } from "viem";
import { readOwnWalk } from "../accounts/readOwnWalk";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { notReady } from "../prepare/refusalErrors";
import type { CoverageReader } from "../walk/createCoverageReader";

export type RequirePayerParameters = {
  contract: Address;
  token: Address;
  account: Address;
  coverage: CoverageReader;
  block: ChainBlock;
};

/** @throws ServiceError NOT_READY where the account pays no subscription in the token: a permit of it could save no payment; UPSTREAM_* */
export async function requirePayer(
  client: ChainClient,
  { token, account, ...target }: RequirePayerParameters,
): Promise<void> {
  const { plansOf } = await readOwnWalk(client, { ...target, account });
  if (plansOf(account).some((plan) => plan.token === token)) return;
  throw notReady([protocolRefusal("9", "This wallet pays no subscription in the token, so its permit is not stored.")]);
}

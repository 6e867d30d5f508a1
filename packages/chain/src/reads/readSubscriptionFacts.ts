import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import type { ChainClient } from "../client/createChainClient";
import { expectToken } from "./expectToken";
import type { SubscriptionRecord } from "./readSubscriptions";
import { readTokenInfos } from "./readTokenInfos";
import { readWithPrefetch, type SubscriptionTarget } from "./readWithPrefetch";

/** A subscription at one block, with what is needed to write its amount. */
export type SubscriptionFacts = { record: SubscriptionRecord; token: TokenInfo };

/** Null for an id that the contract does not know. Throws ServiceError UPSTREAM_* where the node fails. */
export async function readSubscriptionFacts(
  client: ChainClient,
  target: SubscriptionTarget,
): Promise<SubscriptionFacts | null> {
  const { contract, block } = target;
  const found = await readWithPrefetch(client, target, ({ token }) =>
    readTokenInfos(client, { contract, tokens: [token], block }),
  );
  return found && { record: found.record, token: expectToken(found.related, found.record.token) };
}

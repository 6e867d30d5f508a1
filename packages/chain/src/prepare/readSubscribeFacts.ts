import type { Address } from "viem";
import { readOwnWalk } from "../accounts/readOwnWalk";
import type { ChainClient } from "../client/createChainClient";
import { readSubscriberFacts, type SubscriberFacts } from "../reads/readSubscriberFacts";
import type { SubscriptionTarget } from "../reads/readWithPrefetch";
import type { CoverageReader } from "../walk/createCoverageReader";
import { foreseeSubscribe, type SubscribeOutlook } from "./foreseeSubscribe";
import type { ApprovalWish } from "./readApproval";

/** What decides whether an account can subscribe, and what comes after. */
export type SubscribeWalkFacts = SubscriberFacts & { outlook: SubscribeOutlook };

export type SubscribeFactsParameters = SubscriptionTarget & {
  account: Address;
  coverage: CoverageReader;
  /** What would be approved. */
  approval: ApprovalWish;
};

/** Null for an id that the contract does not know. Throws ServiceError UPSTREAM_* where the node fails. */
export async function readSubscribeFacts(
  client: ChainClient,
  { account, coverage, approval, ...target }: SubscribeFactsParameters,
): Promise<SubscribeWalkFacts | null> {
  const { contract, block } = target;
  const [facts, walk] = await Promise.all([
    readSubscriberFacts(client, { ...target, account }),
    readOwnWalk(client, { contract, account, coverage, block }),
  ]);
  return facts && { ...facts, outlook: await foreseeSubscribe(facts, walk, approval) };
}

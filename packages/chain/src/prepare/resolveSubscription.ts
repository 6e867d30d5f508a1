import { invalidInput } from "@dueday/core/errors";
import type { SubscriptionObject } from "@dueday/core/schemas/subscriptionObject";
import { type Address, isHash } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { prefetchSubscription } from "../reads/prefetchSubscription";
import type { SubscriptionFacts } from "../reads/readSubscriptionFacts";
import type { SubscriptionTarget } from "../reads/readWithPrefetch";
import { unknownSubscription } from "../subscriptions/readSubscription";
import { compareSubscription } from "./compareSubscription";

/** How a request names a subscription: by id, or by an object that must not differ from the chain. */
export type SubscriptionReference = { id: string } | { subscription: SubscriptionObject };

/** Reads facts of a subscription; null for an id that the contract does not know. */
export type FactsReader<F> = (client: ChainClient, target: SubscriptionTarget) => Promise<F | null>;

/** The facts of the subscription that a request names, on the block of its answer. */
export type SubscriptionResolver<F> = (client: ChainClient, block: ChainBlock) => Promise<F>;

export type ResolveParameters<F> = { contract: Address; reference: SubscriptionReference; read: FactsReader<F> };

/**
 * Starts to read the subscription's record at once, while the block to pin is still looked up; the returned resolver reads its facts
 * on that block.
 *
 * @throws ServiceError (the resolver) NOT_FOUND for an unknown id, VALIDATION_ERROR for an object that differs from the chain.
 */
export function resolveSubscription<F extends SubscriptionFacts>(
  client: ChainClient,
  { contract, reference, read }: ResolveParameters<F>,
): SubscriptionResolver<F> {
  const believed = "subscription" in reference ? reference.subscription : undefined;
  const id = ("subscription" in reference ? reference.subscription.id : reference.id).toLowerCase();
  if (!isHash(id)) throw new Error("a checked id is not 32 bytes of hex");
  const guess = prefetchSubscription(client, { contract, id });
  return async (client, block) => {
    const facts = await read(client, { contract, id, block, prefetched: await guess });
    if (facts === null) {
      throw unknownSubscription(client.chain.id, id, believed === undefined ? "id" : "subscription.id");
    }
    const differences = believed === undefined ? [] : compareSubscription(believed, facts);
    if (differences.length > 0) throw invalidInput(differences);
    return facts;
  };
}

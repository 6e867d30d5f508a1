import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { prefetchSubscription } from "@dueday/chain/reads/prefetchSubscription";
import type { SubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import type { SubscriptionTarget } from "@dueday/chain/reads/readWithPrefetch";
import { ServiceError } from "@dueday/core/errors";
import { isHash } from "viem";
import { invalidInput } from "../../operation/checkInput";
import type { Context } from "../../operation/context";
import { compareSubscription } from "./compareSubscription";
import type { SubscriptionReference } from "./subscriptionInput";

/** Reads facts of a subscription; null for an id that the contract does not know. */
export type FactsReader<F> = (client: ChainClient, target: SubscriptionTarget) => Promise<F | null>;

/** The facts of the subscription that a request names, on the block of its answer. */
export type SubscriptionResolver<F> = (client: ChainClient, block: ChainBlock) => Promise<F>;

/**
 * Starts to look the subscription up at once, beside the search for the block to pin, and gives what goes on from there.
 *
 * @throws ServiceError (the resolver) NOT_FOUND for an unknown id, VALIDATION_ERROR for an object that differs from the chain.
 */
export function resolveSubscription<F extends SubscriptionFacts>(
  { chain }: Pick<Context, "chain">,
  reference: SubscriptionReference,
  read: FactsReader<F>,
): SubscriptionResolver<F> {
  const { contract } = chain.config;
  const believed = "subscription" in reference ? reference.subscription : undefined;
  const id = ("subscription" in reference ? reference.subscription.id : reference.id).toLowerCase();
  if (!isHash(id)) throw new Error("a checked id is not 32 bytes of hex");
  const guess = prefetchSubscription(chain.client, { contract, id });
  return async (client, block) => {
    const facts = await read(client, { contract, id, block, prefetched: await guess });
    if (facts === null) {
      const path = believed === undefined ? "id" : "subscription.id";
      const message = `No subscription has the id ${id} on chain ${chain.config.chainId}; check the id and the chain`;
      throw new ServiceError("NOT_FOUND", message, { issues: [{ code: "UNKNOWN_ID", path, message }] });
    }
    const differences = believed === undefined ? [] : compareSubscription(believed, facts);
    if (differences.length > 0) throw invalidInput(differences);
    return facts;
  };
}

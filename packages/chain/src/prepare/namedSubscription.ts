import { invalidInput } from "@dueday/core/errors";
import type { SubscriptionObject } from "@dueday/core/schemas/subscriptionObject";
import { type Address, type Hex, isHash } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { prefetchSubscription } from "../reads/prefetchSubscription";
import type { SubscriptionFacts } from "../reads/readSubscriptionFacts";
import type { SubscriptionRecord } from "../reads/readSubscriptions";
import type { SubscriptionTarget } from "../reads/readWithPrefetch";
import { unknownSubscription } from "../subscriptions/readSubscription";
import { compareSubscription } from "./compareSubscription";

/** How a request names a subscription: by id, or by an object that must not differ from the chain. */
export type SubscriptionReference = { id: string } | { subscription: SubscriptionObject };

/** An input that may name a subscription. */
export type MayName = { id?: string | undefined; subscription?: SubscriptionObject | undefined };

/** From `prefetchNamed`. */
export type Prefetched = Promise<SubscriptionRecord | null>;

/** Starts to read the record that `input` names, while the block to pin is still looked up. Null where it names none; never rejects. */
export async function prefetchNamed(
  { client, contract }: { client: ChainClient; contract: Address },
  input: MayName,
): Prefetched {
  const id = input.subscription?.id ?? input.id;
  return id === undefined ? null : prefetchSubscription(client, { contract, id: checkedId(id) });
}

/** A subscription that a request names, at the block of its answer. */
export type NamedSubscription = SubscriptionReference & {
  chain: { contract: Address };
  block: ChainBlock;
  prefetched: Prefetched;
};

/** The parameters with which the facts of a named subscription are read. */
export async function targetOf(named: NamedSubscription): Promise<SubscriptionTarget> {
  const { chain, block, prefetched } = named;
  return { contract: chain.contract, id: idOf(named), block, prefetched: await prefetched };
}

/**
 * The facts that were read of a named subscription.
 *
 * @throws ServiceError NOT_FOUND for an unknown id, VALIDATION_ERROR for an object that differs from the chain
 */
export function expectNamed<F extends SubscriptionFacts>(
  client: ChainClient,
  reference: SubscriptionReference,
  facts: F | null,
): F {
  const believed = "subscription" in reference ? reference.subscription : null;
  if (facts === null) {
    throw unknownSubscription(client.chain.id, idOf(reference), believed === null ? "id" : "subscription.id");
  }
  const differences = believed === null ? [] : compareSubscription(believed, facts);
  if (differences.length > 0) throw invalidInput(differences);
  return facts;
}

function idOf(reference: SubscriptionReference): Hex {
  return checkedId("subscription" in reference ? reference.subscription.id : reference.id);
}

/** An id that was checked where it entered, in lower case. */
export function checkedId(id: string): Hex {
  const lower = id.toLowerCase();
  if (!isHash(lower)) throw new Error("a checked id is not 32 bytes of hex");
  return lower;
}

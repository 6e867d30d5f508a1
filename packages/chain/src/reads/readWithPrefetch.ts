import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { readSubscriptions, type SubscriptionRecord } from "./readSubscriptions";

export type SubscriptionTarget = {
  contract: Address;
  id: Hex;
  block: ChainBlock;
  /** From `prefetchSubscription`; null without one. */
  prefetched: SubscriptionRecord | null;
};

/**
 * The record of an id at `block`, and what `read` finds by its provider and token. With a prefetched record both are read in one
 * round trip, and `read` is repeated where the prefetched one differs. Null for an id that the contract does not know at `block`.
 */
export async function readWithPrefetch<T>(
  client: ChainClient,
  { contract, id, block, prefetched }: SubscriptionTarget,
  read: (record: SubscriptionRecord) => Promise<T>,
): Promise<{ record: SubscriptionRecord; related: T } | null> {
  const [records, guessed] = await Promise.all([
    readSubscriptions(client, { contract, ids: [id], block }),
    prefetched === null ? null : read(prefetched).then((value) => ({ value })),
  ]);
  const record = records.get(id);
  if (record === undefined) return null;
  if (guessed !== null && record.token === prefetched?.token && record.provider === prefetched.provider) {
    return { record, related: guessed.value };
  }
  return { record, related: await read(record) };
}

import type { RemitSubscriber, RemitSubscription } from "@dueday/core/remit/state";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { decodeSubscriberRows } from "../../reads/decodeSubscriberRows";
import { expectValue, protocolRead, valueOrNull } from "../../reads/protocolRead";
import { recordsOf, type SubscriptionRecord, subscriptionRead } from "../../reads/readSubscriptions";
import { readTable } from "../../reads/readTable";
import type { BulkReads } from "./bulkReads";
import { findSetSlots, readSubscriberSets, type SetSlots } from "./subscriberSets";
import { newPlainStore } from "./subscriptionStore";
import { unreadableError } from "./unreadableError";

export type ReadRemitSubscriptionsParameters = {
  contract: Address;
  ids: readonly Hex[];
  block: ChainBlock;
  /** Null: none is read by a program. */
  bulk: BulkReads | null;
  /** Kept between reads: the slots of the sets, once they were needed. */
  knownSlots: { setSlots: SetSlots | null };
};

/**
 * Each id in the form of the model; an id that the contract does not know is absent. `bulk` reads those that it can
 * (`readPlainSubscriptions`), views read the others. Where the unsubscribed list is empty, the rows of getSubscribersById are the whole set in
 * order; otherwise, or where that view is too long for a read, the sets are read from the contract's storage (protocol part 7). Throws
 * ServiceError UPSTREAM_ERROR where a set can be read in neither way.
 */
export async function readRemitSubscriptions(
  client: ChainClient,
  parameters: ReadRemitSubscriptionsParameters,
): Promise<ReadonlyMap<Hex, RemitSubscription>> {
  const { contract, ids, block, bulk } = parameters;
  const { add, map } = bulk?.newStore(ids.length) ?? newPlainStore();
  const others = bulk === null ? ids : await bulk.readPlainSubscriptions(client, parameters, add);
  const rows = await readTable(
    client,
    others,
    (id) => [
      subscriptionRead(contract, id),
      protocolRead(contract, "getUnsubscribedLength", [id]),
      { ...protocolRead(contract, "getSubscribersById", [id]), decode: decodeSubscriberRows },
    ],
    block,
  );
  const records = recordsOf(rows.map(({ key, results }) => ({ id: key, result: results[0] })));
  for (const { key: id, results } of rows) {
    const record = records.get(id);
    if (record === undefined) continue;
    const [, length, view] = results;
    const subscribers = valueOrNull(view, "getSubscribersById");
    const isWhole = expectValue(length, "getUnsubscribedLength") === 0n;
    add({
      ...record,
      ...(isWhole && subscribers !== null
        ? { subscribers, unsubscribed: [] }
        : await readFromStorage(client, parameters, record)),
    });
  }
  return map;
}

async function readFromStorage(
  client: ChainClient,
  { contract, block, knownSlots }: ReadRemitSubscriptionsParameters,
  { id, provider }: SubscriptionRecord,
): Promise<{ subscribers: RemitSubscriber[]; unsubscribed: Address[] }> {
  knownSlots.setSlots ??= await findSetSlots(client, { contract, block, id, provider });
  const sets = knownSlots.setSlots && (await readSubscriberSets(client, knownSlots.setSlots, { contract, block, id }));
  if (sets === null) throw unreadableError("The subscribers of a due subscription", { id });
  const balances = await readTable(
    client,
    sets.subscribers,
    (subscriber) => [protocolRead(contract, "feeBalance", [id, subscriber])],
    block,
  );
  return {
    subscribers: balances.map(({ key: subscriber, results: [balance] }) => ({
      subscriber,
      feeBalance: expectValue(balance, "feeBalance"),
    })),
    unsubscribed: sets.unsubscribed,
  };
}

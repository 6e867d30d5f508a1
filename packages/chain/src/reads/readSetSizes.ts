import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectValue, protocolRead, valueOrNull } from "./protocolRead";
import { readTable } from "./readTable";

export type SetSizes = {
  id: Hex;
  /** Entries of the subscriber set, those on the unsubscribed list included; null where it can't be read. */
  setSize: number | null;
  /** Entries of the unsubscribed list, strangers included. */
  listSize: number;
};

/** Size of each id's subscriber set, which is only in its provider's rows, and of its unsubscribed list. */
export async function readSetSizes(
  client: ChainClient,
  parameters: { contract: Address; subscriptions: readonly { id: Hex; provider: Address }[]; block: ChainBlock },
): Promise<SetSizes[]> {
  const { contract, subscriptions, block } = parameters;
  const providers = [...new Set(subscriptions.map((each) => each.provider))];
  const [created, lists] = await Promise.all([
    readTable(
      client,
      providers,
      (provider) => [protocolRead(contract, "getAccountSubscriptions", [false, provider])],
      block,
    ),
    readTable(client, subscriptions, ({ id }) => [protocolRead(contract, "getUnsubscribedLength", [id])], block),
  ]);
  const setSizes = new Map<Hex, number>();
  for (const { results } of created) {
    // A provider with more rows than a node can read: its set sizes stay unknown.
    for (const view of valueOrNull(results[0], "getAccountSubscriptions") ?? [])
      setSizes.set(view.subscription.id, Number(view.totalSubscribers));
  }
  return lists.map(({ key, results }) => ({
    id: key.id,
    setSize: setSizes.get(key.id) ?? null,
    listSize: Number(expectValue(results[0], "getUnsubscribedLength")),
  }));
}

import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectValue, protocolRead } from "./protocolRead";
import { readTable } from "./readTable";

/**
 * Active subscribers of each id: those that a remit would charge or fail.
 *
 * getSubscribersById gives (set size - list size) rows and writes each active subscriber at its index in the set, so where it
 * returns at all its rows are exactly the active ones. Where it reverts (protocol part 7) the count is set size - list size,
 * the size from the provider's rows: exact when the list holds former subscribers only, and too low by one for each stranger
 * on it. Where a provider's rows are too many to read as well, it is 1: an id in a due list has somebody in its set.
 */
export async function readActiveCounts(
  client: ChainClient,
  {
    contract,
    subscriptions,
    block,
  }: { contract: Address; subscriptions: readonly { id: Hex; provider: Address }[]; block: ChainBlock },
): Promise<Map<Hex, number>> {
  const rows = await readTable(
    client,
    subscriptions,
    ({ id }) => [protocolRead(contract, "getSubscribersById", [id])],
    block,
  );
  const counts = new Map<Hex, number>();
  const unclear: { id: Hex; provider: Address }[] = [];
  for (const { key, results } of rows) {
    if (results[0].ok) counts.set(key.id, results[0].value.length);
    else unclear.push(key);
  }
  for (const { id, setSize, listSize } of await readSetSizes(client, { contract, subscriptions: unclear, block })) {
    counts.set(id, setSize === null ? 1 : Number(setSize > listSize ? setSize - listSize : 0n));
  }
  return counts;
}

/** Size of each id's subscriber set (null where it can't be read) and of its unsubscribed list. */
export async function readSetSizes(
  client: ChainClient,
  {
    contract,
    subscriptions,
    block,
  }: { contract: Address; subscriptions: readonly { id: Hex; provider: Address }[]; block: ChainBlock },
): Promise<{ id: Hex; setSize: bigint | null; listSize: bigint }[]> {
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
  const setSizes = new Map<Hex, bigint>();
  for (const { results } of created) {
    if (!results[0].ok) continue;
    for (const view of results[0].value) setSizes.set(view.subscription.id, view.totalSubscribers);
  }
  return lists.map(({ key, results }) => ({
    id: key.id,
    setSize: setSizes.get(key.id) ?? null,
    listSize: expectValue(results[0], "getUnsubscribedLength"),
  }));
}

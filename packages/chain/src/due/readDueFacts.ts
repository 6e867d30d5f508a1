import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { protocolRead, valueOrNull } from "../reads/protocolRead";
import { readPausedTokens } from "../reads/readPausedTokens";
import { readSetSizes } from "../reads/readSetSizes";
import { recordsOf, type SubscriptionRecord, subscriptionRead } from "../reads/readSubscriptions";
import { readTable } from "../reads/readTable";
import { readTokenInfos, type TokenInfos } from "../reads/readTokenInfos";

/** What decides whether, and how many times, a remit charges for an id; all at one block. */
export type DueFacts = {
  records: Lookup<SubscriptionRecord>;
  /** Active subscribers of each id: those that a remit would charge or fail. */
  activeCounts: Lookup<number>;
  pausedTokens: Pick<ReadonlySet<Address>, "has">;
  tokens: TokenInfos;
};

/** A value for each id: a map, or what finds it. */
export type Lookup<T> = { get(id: Hex): T | undefined };

/**
 * Reads the facts of each id.
 *
 * Active subscribers: getSubscribersById gives (size of the subscriber set - size of the unsubscribed list) rows and writes each
 * active subscriber at its index in the set, so where it returns at all its rows are exactly the active ones. Where it reverts (protocol
 * part 7), or is too long to be read, the count is set size - list size: exact when the list holds former subscribers only, and too low
 * by one for each stranger on it. Where the set size can't be read either it is 1: an id in a due list has a subscriber in its set.
 */
export async function readDueFacts(
  client: ChainClient,
  { contract, ids, block }: { contract: Address; ids: readonly Hex[]; block: ChainBlock },
): Promise<DueFacts> {
  const rows = await readTable(
    client,
    ids,
    (id) => [subscriptionRead(contract, id), protocolRead(contract, "getSubscribersById", [id])],
    block,
  );
  const records = recordsOf(rows.map(({ key, results }) => ({ id: key, result: results[0] })));
  const activeCounts = new Map<Hex, number>();
  const unclear: SubscriptionRecord[] = [];
  for (const { key, results } of rows) {
    const record = records.get(key);
    const active = valueOrNull(results[1], "getSubscribersById");
    if (active !== null) activeCounts.set(key, active.length);
    else if (record !== undefined) unclear.push(record);
  }
  const tokens = [...new Set([...records.values()].map((record) => record.token))];
  const [sizes, infos, paused] = await Promise.all([
    readSetSizes(client, { contract, subscriptions: unclear, block }),
    readTokenInfos(client, { contract, tokens, block }),
    readPausedTokens(client, { contract, tokens, block }),
  ]);
  for (const { id, setSize, listSize } of sizes) {
    activeCounts.set(id, setSize === null ? 1 : Math.max(0, setSize - listSize));
  }
  return { records, activeCounts, pausedTokens: new Set(paused), tokens: infos };
}

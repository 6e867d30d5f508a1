import { readBlockByHash } from "@dueday/chain/block/parseBlock";
import { describeSubscribers } from "@dueday/chain/subscriptions/readSubscribers";
import { ServiceError } from "@dueday/core/errors";
import { listActiveSubscribers } from "@dueday/db/history/listActiveSubscribers";
import { getAddress, type Hex } from "viem";
import type { Context } from "../../operation/context";
import { readIndexed } from "../../operation/readIndexed";

/** Blocks that the index may be behind: full nodes keep the state of only the last 128. */
const INDEX_LAG_BLOCKS = 100n;

/**
 * The subscribers that are active according to the events, with their fee balances and cover at the block that the index has reached: the whole
 * answer describes one block.
 *
 * @throws ServiceError NOT_INDEXED while the index is behind.
 */
export async function answerFromEvents(
  context: Context,
  { id, first, skip }: { id: Hex; first: number; skip: number },
) {
  const { client, config, coverage, monitor } = context.chain;
  const { chainId, contract } = config;
  const {
    value,
    block: indexed,
    asOf,
  } = await readIndexed(context, (database, scope) => listActiveSubscribers(database, scope, { id, first, skip }));
  const headNumber = monitor.head()?.number ?? 0n;
  if (BigInt(indexed.number) < headNumber - INDEX_LAG_BLOCKS) throw notIndexed();
  const block = await readBlockByHash(client, indexed.hash);
  const subscribers = value.subscribers.map((subscriber) => getAddress(subscriber));
  const page = await describeSubscribers(client, {
    contract,
    id,
    block,
    subscribers,
    count: value.total,
    skip,
    coverage,
  });
  // The subscription exists at the head, so the index has not reached its creation.
  if (page === null) throw notIndexed();
  return { chainId, ...page, asOf };
}

function notIndexed(): ServiceError {
  const message =
    "The contract can't list the subscribers of this subscription, and its events are not indexed yet; try again in a few seconds";
  return new ServiceError("NOT_INDEXED", message, { headers: { "Retry-After": "5" } });
}

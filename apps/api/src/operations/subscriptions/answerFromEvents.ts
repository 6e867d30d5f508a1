import { blockStamp } from "@dueday/chain/block/blockStamp";
import { readBlockByHash } from "@dueday/chain/block/parseBlock";
import { describeSubscribers } from "@dueday/chain/subscriptions/readSubscribers";
import { ServiceError } from "@dueday/core/errors";
import type { AsOf } from "@dueday/core/schema";
import { listActiveSubscribers } from "@dueday/db/history/listActiveSubscribers";
import { getAddress, type Hex } from "viem";
import { isIndexStale } from "../../history/isIndexStale";
import type { Context } from "../../operation/context";
import { foreignDatabase } from "../../snapshots/verifyDatabase";

/** Blocks that the index may be behind: full nodes keep the state of only the last 128. */
const INDEX_LAG_BLOCKS = 100n;

/**
 * The subscribers that are active according to the events, with their fee balances and cover at the block that the index has reached: the whole
 * answer describes one block.
 *
 * @throws ServiceError NOT_INDEXED while the index is behind.
 */
export async function answerFromEvents(
  { chain, clock, database, service }: Context,
  { id, first, skip }: { id: Hex; first: number; skip: number },
) {
  const { client, config, coverage } = chain;
  const { chainId, contract } = config;
  if (chain.snapshots.refusal() !== null) throw foreignDatabase();
  const listed = await listActiveSubscribers(database, {
    chainId,
    contract,
    subscriptionId: id,
    first,
    skip,
  });
  const head = chain.monitor.head();
  const headNumber = head?.number ?? 0n;
  if (listed === null) throw notIndexed();
  const { total } = listed;
  const announced = chain.covered.latest();
  // Where the announcement extends the list's checkpoint, nothing has happened since: the list is true for the announced head.
  const isCovered =
    announced?.checkpoint === listed.checkpoint.hash && announced.head.number >= listed.checkpoint.number;
  const checkpoint = isCovered
    ? { ...announced.head, confirmedAt: announced.confirmedAt, headTimestamp: announced.head.timestamp }
    : listed.checkpoint;
  if (BigInt(checkpoint.number) < headNumber - INDEX_LAG_BLOCKS) throw notIndexed();
  const block = await readBlockByHash(client, checkpoint.hash);
  const subscribers = listed.subscribers.map((subscriber) => getAddress(subscriber));
  const page = await describeSubscribers(client, { contract, id, block, subscribers, count: total, skip, coverage });
  // The subscription exists at the head, so the index has not reached its creation.
  if (page === null) throw notIndexed();
  const headTimestamp = Math.max(checkpoint.headTimestamp ?? 0, Number(head?.timestamp ?? 0n));
  const behindSeconds = Math.max(0, headTimestamp - Number(block.timestamp));
  const limits = { now: clock(), staleAfterMs: service.config.staleAfterMs };
  const asOf: AsOf = {
    ...blockStamp(block),
    computedAt: checkpoint.confirmedAt.toISOString(),
    source: "snapshot",
    stale: isIndexStale({ behindSeconds, confirmedAt: checkpoint.confirmedAt }, limits),
  };
  return { chainId, ...page, asOf };
}

function notIndexed(): ServiceError {
  const message =
    "The contract can't list the subscribers of this subscription, and its events are not indexed yet; try again in a few seconds";
  return new ServiceError("NOT_INDEXED", message, { headers: { "Retry-After": "5" } });
}

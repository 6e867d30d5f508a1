import { blockStamp } from "@dueday/chain/block/blockStamp";
import { readBlockByHash } from "@dueday/chain/block/readBlockByHash";
import { expectValue, protocolRead } from "@dueday/chain/reads/protocolRead";
import { readSubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import { readTable } from "@dueday/chain/reads/readTable";
import { ServiceError } from "@dueday/core/errors";
import type { AsOf } from "@dueday/core/schema";
import { listActiveSubscribers } from "@dueday/db/queries/listActiveSubscribers";
import { getAddress, type Hex } from "viem";
import type { Context } from "../../operation/context";
import { presentSubscribers } from "./presentSubscribers";

/** Blocks that the index may be behind: full nodes keep the state of the last 128 only. */
const INDEX_LAG_BLOCKS = 100n;

/**
 * The subscribers that the events leave active, with their fee balances and cover at the very block that the index has reached:
 * one answer speaks of one block.
 *
 * @throws ServiceError NOT_INDEXED while the index is not there yet.
 */
export async function answerFromEvents(
  { chain, clock, database, service }: Context,
  { id, first, skip }: { id: Hex; first: number; skip: number },
) {
  const { client, config } = chain;
  const { chainId, contract } = config;
  const listed = await listActiveSubscribers(database, {
    chainId,
    contract,
    subscriptionId: id,
    first,
    skip,
  });
  const headNumber = chain.monitor.head()?.number ?? 0n;
  if (listed === null || BigInt(listed.checkpoint.number) < headNumber - INDEX_LAG_BLOCKS) throw notIndexed();
  const { checkpoint, total } = listed;
  const block = await readBlockByHash(client, checkpoint.hash);
  const [facts, balances] = await Promise.all([
    readSubscriptionFacts(client, { contract, id, block, prefetched: null }),
    readTable(
      client,
      listed.subscribers.map((subscriber) => getAddress(subscriber)),
      (subscriber) => [protocolRead(contract, "feeBalance", [id, subscriber])],
      block,
    ),
  ]);
  // It is known at the head, so the index has not come to its creation.
  if (facts === null) throw notIndexed();
  const rows = balances.map(({ key: subscriber, results: [feeBalance] }) => ({
    subscriber,
    feeBalance: expectValue(feeBalance, "feeBalance"),
  }));
  const asOf: AsOf = {
    ...blockStamp(block),
    computedAt: checkpoint.confirmedAt.toISOString(),
    source: "snapshot",
    stale: clock() - checkpoint.confirmedAt.getTime() > service.config.staleAfterMs,
  };
  const page = { rows, count: total, skip };
  return { chainId, ...(await presentSubscribers(client, { contract, facts, page, block })), asOf };
}

function notIndexed(): ServiceError {
  const message =
    "The contract can't list the subscribers of this subscription, and its events are not indexed yet; try again in a moment";
  return new ServiceError("NOT_INDEXED", message, { headers: { "Retry-After": "5" } });
}

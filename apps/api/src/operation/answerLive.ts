import { blockStamp } from "@dueday/chain/block/blockStamp";
import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { pinBlock } from "@dueday/chain/block/pinBlock";
import { readHead } from "@dueday/chain/block/readHead";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { ServiceError } from "@dueday/core/errors";
import type { AsOf } from "@dueday/core/schema";
import { expectAfter, requireContract } from "../chains/monitorChain";
import type { Context } from "./context";
import { untilMinBlock } from "./minBlock";

/** A read of the chain at `block`. */
export type LiveRead<T> = (client: ChainClient, block: ChainBlock) => Promise<T>;

export type PickBlock = (client: ChainClient) => Promise<ChainBlock>;

export type Stamped<T> = { chainId: number } & T & { asOf: AsOf };

/**
 * Answers from the chain, now, at one block: by default the block that decides which day it is, see `pinBlock`. The chain's client waits for
 * replicas that lag; where the node still lacks the block, it was replaced, and the read is repeated at a block that is chosen again.
 *
 * @throws ServiceError UPSTREAM_ERROR, UPSTREAM_UNAVAILABLE or UPSTREAM_TIMEOUT when the chain can't be read; NOT_INDEXED when it does
 * not reach the request's `minBlock`.
 */
export async function answerLive<T extends object>(
  context: Context,
  read: LiveRead<T>,
  pick: PickBlock = pinBlock,
): Promise<Stamped<T>> {
  try {
    return await answerAt(context, read, pick);
  } catch (error) {
    if (!lacksBlock(error)) throw error;
    return answerAt(context, read, pick);
  }
}

function lacksBlock(error: unknown): boolean {
  return error instanceof ServiceError && error.details.failure === "missing_block";
}

async function answerAt<T extends object>(context: Context, read: LiveRead<T>, pick: PickBlock): Promise<Stamped<T>> {
  const { chain, clock } = context;
  requireContract(chain);
  const block = await untilMinBlock(
    context,
    () => pick(chain.client),
    ({ number }, minBlock) => number >= minBlock,
  );
  expectAfter(chain.monitor.head(), block, chain.config);
  const value = await read(chain.client, block);
  return { chainId: chain.config.chainId, ...value, asOf: liveAsOf(block, clock()) };
}

/** Age of the oldest head that a read may be pinned to, milliseconds. */
const HEAD_AGE_MS = 2_000;

/**
 * Like `answerLive`, at a head that was requested or announced in the last two seconds, which saves a request. A record that
 * is not found there may be newer, and the head may have been replaced: in both cases the read is repeated at the newest block.
 */
export async function answerRecent<T extends object>(context: Context, read: LiveRead<T>): Promise<Stamped<T>> {
  const { chain, clock } = context;
  const recent = chain.monitor.recentHead(HEAD_AGE_MS);
  const pickNewest = async (client: ChainClient) => {
    const askedAt = clock();
    const head = await readHead(client);
    chain.monitor.see(head, askedAt);
    return head;
  };
  if (recent === null || recent.number < (context.minBlock ?? 0n)) return answerLive(context, read, pickNewest);
  try {
    return await answerAt(context, read, async () => recent);
  } catch (error) {
    const isUnknown = error instanceof ServiceError && error.code === "NOT_FOUND";
    if (!isUnknown && !lacksBlock(error)) throw error;
    return answerLive(context, read, pickNewest);
  }
}

/** Like `answerLive`, but concurrent requests with the same `key` share one read. */
export function answerLiveOnce<T extends object>(
  context: Context,
  key: string,
  read: LiveRead<T>,
  pick?: PickBlock,
): Promise<Stamped<T>> {
  const { inFlight } = context.chain;
  const name = context.minBlock === null ? key : `${key} from ${context.minBlock}`;
  // Only one operation uses a key, so a running read under it has that operation's type.
  const shared = inFlight.get(name) as Promise<Stamped<T>> | undefined;
  if (shared !== undefined) return shared;
  // The read goes on for the other requests when the client that began it has gone.
  const { signal } = new AbortController();
  const promise = answerLive({ ...context, signal }, read, pick).finally(() => inFlight.delete(name));
  inFlight.set(name, promise);
  return promise;
}

/**
 * The live answer in place of a snapshot that the worker has not written yet.
 *
 * @throws ServiceError NOT_INDEXED when the chain can't be read either.
 */
export async function answerUnindexed<T extends object>(
  context: Context,
  key: string,
  read: LiveRead<T>,
): Promise<Stamped<T>> {
  try {
    return await answerLiveOnce(context, key, read);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status < 502 || error.code === "NOT_INDEXED") throw error;
    const message =
      "This chain has not been scanned yet, and its node can't be read either; try again in a few seconds";
    throw new ServiceError("NOT_INDEXED", message, {
      headers: { "Retry-After": "5" },
      details: { ...error.details, upstream: error.code },
    });
  }
}

function liveAsOf(block: ChainBlock, now: number): AsOf {
  return { ...blockStamp(block), computedAt: new Date(now).toISOString(), source: "live", stale: false };
}

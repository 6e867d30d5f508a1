import { blockStamp } from "@dueday/chain/block/blockStamp";
import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { pinBlock } from "@dueday/chain/block/pinBlock";
import { waitForBlock } from "@dueday/chain/block/waitForBlock";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { type MayName, type Prefetched, prefetchNamed } from "@dueday/chain/prepare/namedSubscription";
import { identified, type PrepareInput } from "@dueday/chain/prepare/prepareTransactions";
import type { PlanAlarm } from "@dueday/chain/remit/planBacklog";
import type { RemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import type { CoverageReader } from "@dueday/chain/walk/createCoverageReader";
import { ServiceError, validationError } from "@dueday/core/errors";
import type { AsOf } from "@dueday/core/schema";
import type { Address } from "viem";
import type { CallOptions } from "../callOptions";
import { DuedayError } from "../http/duedayError";

/** The chain that all local answers are about. */
export type LocalChain = {
  chainId: number;
  name: string;
  contract: Address;
  /** Tokens that `listApprovedTokens` looks up. */
  tokens: readonly Address[];
  /** Caller of plans whose input has no `from`. */
  from: Address;
  client: ChainClient;
  /** State as read for earlier plans: a later plan reads only what has changed. */
  stateCache: RemitStateCache;
  /** Coverage of all plans, from the same state. */
  coverage: CoverageReader;
  onAlarm(alarm: PlanAlarm): void;
};

/** What the use cases of `packages/chain` take besides their own input. */
type LocalScope = LocalChain & { chain: LocalChain; block: ChainBlock };
export type Stamped<T> = { chainId: number } & T & { asOf: AsOf };

type Answer<P, A> = (client: ChainClient, parameters: LocalScope & P) => Promise<A>;

const MIN_BLOCK_PATIENCE_MS = 5_000;

/**
 * Makes methods whose answers are read at one block.
 *
 * @param pick chooses the block: `pinBlock` where the day matters, else `readHead`
 * @returns a function that makes a method from two others: a check of the input, which runs before a node is asked, and the function of
 * `packages/chain` that answers. The method throws DuedayError with the codes of the service
 */
export function answersAt(chain: LocalChain, pick: (client: ChainClient) => Promise<ChainBlock>) {
  const { chainId, client } = chain;
  return <I, P extends object, A extends object>(check: (input: I) => P, answer: Answer<P, A>) =>
    // Only where all of its properties are optional may the input be left out.
    async (input = {} as I, options: CallOptions = {}): Promise<Stamped<A>> => {
      const { signal, minBlock, chainId: wanted = chainId } = options;
      const work = async (): Promise<Stamped<A>> => {
        if (wanted !== chainId)
          throw validationError("chainId", "NOT_ALLOWED", `must be ${chainId}, the chain of the client`);
        const checked = check(input);
        if (minBlock !== undefined) await awaitBlock(client, BigInt(minBlock));
        const block = await pick(client);
        const value = await answer(client, { ...chain, chain, block, ...checked });
        const computedAt = new Date().toISOString();
        return { chainId, ...value, asOf: { ...blockStamp(block), computedAt, source: "live", stale: false } };
      };
      signal?.throwIfAborted();
      const ended = new AbortController();
      try {
        return await (signal === undefined ? work() : Promise.race([work(), aborted(signal, ended.signal)]));
      } catch (error) {
        signal?.throwIfAborted();
        throw toDuedayError(error);
      } finally {
        ended.abort();
      }
    };
}

/** A check that starts to read the record of the subscription that an input names. */
export function prefetching<I, P extends MayName>(chain: LocalChain, check: (input: I) => P) {
  return (input: I): P & { prefetched: Prefetched } => {
    const checked = check(input);
    return { ...checked, prefetched: prefetchNamed(chain, checked) };
  };
}

type Started = { operation: string; prefetched: Prefetched };

/** Like `answersAt`, for prepares. */
export function preparesOf(chain: LocalChain) {
  const today = answersAt(chain, pinBlock);
  return <I, P extends PrepareInput & MayName, A extends { summary: string }>(
    operation: string,
    check: (input: I) => P,
    answer: Answer<Started & P, A>,
  ) => {
    const start = prefetching(chain, (input: I) => ({ ...check(input), operation }));
    const method = today<I, Started & P, A>(start, answer);
    return async (input: I, options?: CallOptions) => identified(crypto.randomUUID(), await method(input, options));
  };
}

async function awaitBlock(client: ChainClient, number: bigint): Promise<void> {
  if (await waitForBlock(client, { number, timeoutMs: MIN_BLOCK_PATIENCE_MS })) return;
  throw new ServiceError("NOT_INDEXED", `The node does not have block ${number} yet; try again in a few seconds`, {
    headers: { "Retry-After": "5" },
  });
}

/** Rejects when `signal` aborts, until `ended` does. A node's work can't be ended, but its result is no longer awaited. */
function aborted(signal: AbortSignal, ended: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { signal: ended });
  });
}

function toDuedayError(error: unknown): DuedayError {
  const { code, message, status, issues, revert, headers, body } = asServiceError(error);
  const retryAfter = Number(headers["Retry-After"] ?? Number.NaN);
  return new DuedayError(code, message, {
    status,
    body,
    cause: error,
    ...(issues === undefined ? {} : { issues }),
    ...(revert === undefined ? {} : { revert }),
    ...(Number.isNaN(retryAfter) ? {} : { retryAfter }),
  });
}

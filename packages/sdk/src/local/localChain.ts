import { blockStamp } from "@dueday/chain/block/blockStamp";
import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { pinBlock } from "@dueday/chain/block/pinBlock";
import { waitForBlock } from "@dueday/chain/block/waitForBlock";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
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
  /** Caller of plans that name none. */
  planCaller: Address;
  client: ChainClient;
  /** State as read for earlier plans: a later plan reads only what has changed. */
  stateCache: RemitStateCache;
  /** Coverage of all plans, from the same state. */
  coverage: CoverageReader;
};

export type LocalRead<T> = (client: ChainClient, block: ChainBlock) => Promise<T>;
export type Stamped<T> = { chainId: number } & T & { asOf: AsOf };

/** Model and simulation are compared in the service's tests; where they differ the simulation is served, here too. */
export function ignoreAlarm(): void {}

const MIN_BLOCK_PATIENCE_MS = 5_000;

/**
 * An answer read at one block: by default the latest that decides which day it is.
 *
 * @throws DuedayError with the codes of the service
 */
export async function answerAt<T extends object>(
  { chainId, client }: LocalChain,
  { signal, minBlock, chainId: wanted = chainId }: CallOptions,
  read: LocalRead<T>,
  pick: (client: ChainClient) => Promise<ChainBlock> = pinBlock,
): Promise<Stamped<T>> {
  const work = async (): Promise<Stamped<T>> => {
    if (wanted !== chainId)
      throw validationError("chainId", "NOT_ALLOWED", `must be ${chainId}, the chain of the client`);
    if (minBlock !== undefined) await awaitBlock(client, BigInt(minBlock));
    const block = await pick(client);
    const value = await read(client, block);
    const computedAt = new Date().toISOString();
    return { chainId, ...value, asOf: { ...blockStamp(block), computedAt, source: "live", stale: false } };
  };
  signal?.throwIfAborted();
  try {
    return await (signal === undefined ? work() : Promise.race([work(), aborted(signal)]));
  } catch (error) {
    signal?.throwIfAborted();
    throw toDuedayError(error);
  }
}

async function awaitBlock(client: ChainClient, number: bigint): Promise<void> {
  if (await waitForBlock(client, { number, timeoutMs: MIN_BLOCK_PATIENCE_MS })) return;
  throw new ServiceError("NOT_INDEXED", `The node does not have block ${number} yet; try again in a few seconds`, {
    headers: { "Retry-After": "5" },
  });
}

/** A node's work can't be ended, but its result is no longer awaited. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
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

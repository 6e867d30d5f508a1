import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { readHead } from "@dueday/chain/block/readHead";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import { type PreflightFailure, preflightChain } from "@dueday/config/preflightChain";
import { ServiceError } from "@dueday/core/errors";
import type { Check } from "../check";

/** What the last look at a chain's node showed. */
export type ChainMonitor = {
  /** Newest block seen; null before the first. Its timestamp says what day it is. */
  head(): ChainBlock | null;
  /** That block, if the node was asked for it at most `ageMs` ago. */
  recentHead(ageMs: number): ChainBlock | null;
  check(): Check;
  failure(): PreflightFailure | null;
  /** Ends the loop; resolves when it has ended. */
  stop(): Promise<void>;
};

export type MonitorOptions = {
  chain: ChainConfig;
  client: ChainClient;
  logger: Logger;
  /** Between two looks. */
  intervalMs: number;
  /** Unix milliseconds. */
  clock: () => number;
  /** Asked once the chain answers, again and again until it says true. */
  verify(): Promise<boolean>;
};

type State = {
  failure: PreflightFailure | null;
  reason: string;
  checked: boolean;
  head: ChainBlock | null;
  /** When the node was asked for the head. */
  headAskedAt: number;
};

/**
 * Looks at a node now and then, from the start on and for as long as the service runs: first whether it is of the right chain
 * and has the contract, then for its newest block. A chain that fails is told of in /status and tried again; the others serve.
 */
export function monitorChain({ chain, client, logger, intervalMs, clock, verify }: MonitorOptions): ChainMonitor {
  const state: State = { failure: null, reason: "not checked yet", checked: false, head: null, headAskedAt: 0 };
  const stopped = Promise.withResolvers<void>();
  let running = true;
  let verified = false;

  function fail(failure: PreflightFailure, reason: string, err?: unknown): void {
    const known = state.failure === failure && state.checked;
    Object.assign(state, { failure, reason, checked: true });
    if (!known) logger.warn({ chainId: chain.chainId, failure, err }, `chain not available: ${reason}`);
  }

  async function preflight(): Promise<boolean> {
    const result = await preflightChain(chain, {
      getChainId: () => client.getChainId(),
      getCode: (address) => client.getCode({ address }),
    });
    if (result.ok) return true;
    // Our client believes no node of another chain, so a wrong one looks unreachable; the error inside says which it was.
    fail(result.failure, result.cause === undefined ? result.reason : wordsOf(result.cause), result.cause);
    return false;
  }

  async function look(): Promise<void> {
    if ((state.failure !== null || !state.checked) && !(await preflight())) return;
    try {
      const headAskedAt = clock();
      Object.assign(state, { head: await readHead(client), headAskedAt });
      if (!verified) verified = await verify();
      if (!running) return;
      if (state.failure !== null || !state.checked) logger.info({ chainId: chain.chainId }, "chain available");
      Object.assign(state, { failure: null, reason: "", checked: true });
    } catch (error) {
      fail("unreachable", wordsOf(error), error);
    }
  }

  async function run(): Promise<void> {
    while (running) {
      await look();
      await Promise.race([Bun.sleep(intervalMs), stopped.promise]);
    }
  }

  const ended = run();
  return {
    head: () => state.head,
    recentHead: (ageMs) => (clock() - state.headAskedAt <= ageMs ? state.head : null),
    failure: () => state.failure,
    check() {
      if (!state.checked) return { status: "degraded", reason: state.reason };
      return state.failure === null ? { status: "ok" } : { status: "down", reason: state.reason };
    },
    async stop() {
      running = false;
      stopped.resolve();
      await ended;
    },
  };
}

/** The public sentence of a failed call, however deep viem wrapped it. */
function wordsOf(error: unknown): string {
  return asServiceError(error).message;
}

/** @throws ServiceError UPSTREAM_UNAVAILABLE when there is no contract to read from: zeros would look like an answer. */
export function requireContract({ monitor, config }: { monitor: ChainMonitor; config: ChainConfig }): void {
  if (monitor.failure() !== "no_contract") return;
  throw new ServiceError(
    "UPSTREAM_UNAVAILABLE",
    `Chain ${config.chainId} is not served: there is no contract at the configured address`,
    { details: { failure: "no_contract" } },
  );
}

import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { readHead } from "@dueday/chain/block/readHead";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import { type PreflightFailure, preflightChain } from "@dueday/config/preflightChain";
import { ServiceError } from "@dueday/core/errors";
import type { Check } from "../check";

/** Result of the latest check of a chain's node. */
export type ChainMonitor = {
  /** Newest block seen; null before the first. Its timestamp decides which day it is. */
  head(): ChainBlock | null;
  /** That block, if it was requested at most `ageMs` ago. */
  recentHead(ageMs: number): ChainBlock | null;
  check(): Check;
  failure(): PreflightFailure | null;
  /** Stops the checks; resolves when the running one has ended. */
  stop(): Promise<void>;
};

export type MonitorOptions = {
  chain: ChainConfig;
  client: ChainClient;
  logger: Logger;
  /** Milliseconds between two checks. */
  intervalMs: number;
  /** Unix milliseconds. */
  clock: () => number;
  /** Called once the chain answers, and again until it returns true. */
  verify(): Promise<boolean>;
};

type State = {
  failure: PreflightFailure | null;
  reason: string;
  checked: boolean;
  head: ChainBlock | null;
  /** Unix milliseconds at which the head was requested. */
  headAskedAt: number;
};

/**
 * Checks a node periodically, until it is stopped: first whether it serves the right chain and has the contract, then for its newest
 * block. A chain that fails is reported in /status and checked again; the other chains are served meanwhile.
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
    // The client rejects a node of another chain, which then looks unreachable; the cause has the difference.
    fail(result.failure, result.cause === undefined ? result.reason : wordsOf(result.cause), result.cause);
    return false;
  }

  async function runCheck(): Promise<void> {
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
      await runCheck();
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

/** The public message of a failed call, however deep viem wrapped it. */
function wordsOf(error: unknown): string {
  return asServiceError(error).message;
}

/** @throws ServiceError UPSTREAM_UNAVAILABLE when there is no contract to read from: zeros would look like an answer. */
export function requireContract({ monitor, config }: { monitor: ChainMonitor; config: ChainConfig }): void {
  if (monitor.failure() !== "no_contract") return;
  throw new ServiceError(
    "UPSTREAM_UNAVAILABLE",
    `Chain ${config.chainId} is not served: there is no contract at the configured address; the operator has to correct it`,
    { details: { failure: "no_contract" } },
  );
}

import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { readHead } from "@dueday/chain/block/readHead";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { upstreamError } from "@dueday/chain/client/upstreamError";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import { type PreflightFailure, preflightChain } from "@dueday/config/preflightChain";
import { ServiceError } from "@dueday/core/errors";
import type { HeadMessage } from "@dueday/db/headMessage";
import type { Check } from "../health/check";
import { createHeadAge, type HeadAge } from "../health/headAge";

/** Result of the latest check of a chain's node. */
export type ChainMonitor = {
  /** Newest block seen; null before the first. Its timestamp decides which day it is. */
  head(): ChainBlock | null;
  /** The newest block, if it was requested or announced at most `ageMs` ago. */
  recentHead(ageMs: number): ChainBlock | null;
  /** Takes a head that an answer has read, requested at `askedAt` (unix milliseconds): the next answers need not ask for one. */
  see(head: ChainBlock, askedAt: number): void;
  check(): Check;
  /** How long the head has been the newest; null before the first. */
  headAge(): HeadAge | null;
  failure(): PreflightFailure | null;
  /** Takes what a worker announced. While announcements arrive in time, the node is not asked. */
  hear(message: HeadMessage): void;
  /** Stops the checks; resolves when the running one has ended. */
  stop(): Promise<void>;
};

export type MonitorOptions = {
  chain: ChainConfig;
  client: ChainClient;
  logger: Logger;
  /** Milliseconds between two checks of a chain that is not available. */
  intervalMs: number;
  /** Milliseconds between two checks of an available chain whose head no worker announces. Default `intervalMs`. */
  slowIntervalMs?: number;
  /** Unix milliseconds. */
  clock: () => number;
  /** Called when the chain answers, and again until it returns true. */
  verify(): Promise<boolean>;
};

type State = {
  failure: PreflightFailure | null;
  reason: string;
  checked: boolean;
  head: ChainBlock | null;
  /** Unix milliseconds at which the head was requested or announced. */
  headAskedAt: number;
  /** Until this time (`performance.now()`), a worker announces the head, and the node is not asked. */
  heardUntil: number;
};

/**
 * Checks a node until `stop` is called: first whether it serves the right chain and has the contract, then periodically for its newest
 * block, as long as no worker announces it. A chain that fails is reported in /status and checked again; the other chains are served meanwhile.
 */
export function monitorChain(options: MonitorOptions): ChainMonitor {
  const { chain, client, logger, intervalMs, slowIntervalMs = intervalMs, clock, verify } = options;
  const state: State = {
    failure: null,
    reason: "not checked yet",
    checked: false,
    head: null,
    headAskedAt: 0,
    heardUntil: 0,
  };
  const stopped = Promise.withResolvers<void>();
  let running = true;
  let wake = Promise.withResolvers<void>();
  let verified = false;
  const headAge = createHeadAge({
    minesOnDemand: chain.maxClockAheadSeconds === null,
    elapsed: () => performance.now(),
    clock,
  });

  function setHead(head: ChainBlock, headAskedAt: number): void {
    Object.assign(state, { head, headAskedAt });
    headAge.note(head);
  }

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
    // The client rejects a node of another chain, which then looks unreachable: only the cause gives the real reason.
    fail(result.failure, result.cause === undefined ? result.reason : wordsOf(result.cause), result.cause);
    return false;
  }

  async function runCheck(): Promise<void> {
    if ((state.failure !== null || !state.checked) && !(await preflight())) return;
    try {
      const headAskedAt = clock();
      const head = await readHead(client);
      expectAfter(state.head, head, chain);
      setHead(head, headAskedAt);
      if (!verified) verified = await verify();
      if (!running) return;
      if (state.failure !== null || !state.checked) logger.info({ chainId: chain.chainId }, "chain available");
      Object.assign(state, { failure: null, reason: "", checked: true });
    } catch (error) {
      fail("unreachable", wordsOf(error), error);
    }
  }

  function isAvailable(): boolean {
    return state.checked && state.failure === null && verified;
  }

  /** How long until the next check. */
  function pauseMs(): number {
    if (!isAvailable()) return intervalMs;
    return Math.max(slowIntervalMs, state.heardUntil - performance.now());
  }

  async function run(): Promise<void> {
    while (running) {
      if (!isAvailable() || performance.now() >= state.heardUntil) await runCheck();
      await Promise.race([Bun.sleep(pauseMs()), wake.promise, stopped.promise]);
      wake = Promise.withResolvers();
    }
  }

  const ended = run();
  return {
    head: () => state.head,
    recentHead: (ageMs) => (clock() - state.headAskedAt <= ageMs ? state.head : null),
    see(head, askedAt) {
      if (isAvailable() && askedAt > state.headAskedAt && head.number >= (state.head?.number ?? 0n))
        setHead(head, askedAt);
    },
    headAge: headAge.read,
    failure: () => state.failure,
    hear({ head, validForMs }) {
      state.heardUntil = head === null ? 0 : performance.now() + validForMs;
      if (head === null) return wake.resolve();
      // Before this process has checked the chain, the head may be that of another chain.
      if (!isAvailable()) return;
      const block = toBlock(head);
      setHead(block, clock());
      client.endpoints.noteHead(block);
    },
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

function toBlock(head: NonNullable<HeadMessage["head"]>): ChainBlock {
  return {
    ...head,
    number: BigInt(head.number),
    timestamp: BigInt(head.timestamp),
    baseFeePerGas: BigInt(head.baseFeePerGas),
    gasLimit: BigInt(head.gasLimit),
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

const DAY_SECONDS = 86_400n;

/**
 * Compares a block with one that was seen before: a block that is not lower can't be dated more than a day earlier. A development
 * chain may be set back, so only chains with a bound on their clock are checked.
 *
 * @throws ServiceError UPSTREAM_ERROR when the node sends wrong times.
 */
export function expectAfter(known: ChainBlock | null, block: ChainBlock, chain: ChainConfig): void {
  if (known === null || chain.maxClockAheadSeconds === null || block.number < known.number) return;
  if (block.timestamp + DAY_SECONDS < known.timestamp) {
    throw upstreamError({ kind: "impossible_block" }, "eth_getBlockByNumber");
  }
}

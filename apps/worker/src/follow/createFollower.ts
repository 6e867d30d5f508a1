import type { ClockBound } from "@dueday/chain/block/createBlockJudge";
import { type Header, parseHeader } from "@dueday/chain/block/parseHeader";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { RpcProfile } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import type { IndexedLog } from "@dueday/db/index/indexedLog";
import { type Address, type Hex, numberToHex } from "viem";
import { createBlockClock } from "./createBlockClock";
import { createKnownBlocks, type KnownBlock } from "./createKnownBlocks";
import { createLogReader } from "./createLogReader";
import { listenLogs } from "./listenLogs";

/** What is new on the chain. */
export type ChainUpdate = {
  /** The head that was handled before; null at the start and after a reorganisation. */
  after: Header | null;
  head: Header;
  /** The new blocks that are known by their headers, lowest first; empty where only late logs were found. */
  blocks: readonly Header[];
  /** Events of the blocks after `after` up to `head`; null where they were not read: `after` is null, or too far away. */
  logs: readonly IndexedLog[] | null;
  /** Events of earlier blocks that the node returned only now. */
  lateLogs: readonly IndexedLog[];
};

export type FollowerOptions = {
  chainId: number;
  client: ChainClient;
  contract: Address;
  logger: Logger;
  profile: RpcProfile;
  wsUrl: string | null;
  clockBound?: ClockBound | undefined;
  /** Milliseconds between two polls. Default: by the profile and the chain's own interval. */
  headEveryMs?: number | undefined;
  /** The blocks of the stored snapshots: one of them may have been replaced while no worker ran. */
  readSnapshotBlocks(): Promise<readonly KnownBlock[]>;
  /** Called for each new head, in order. An update is repeated, with what has come since, until this succeeds. */
  onUpdate(update: ChainUpdate): Promise<void>;
  /** Called when the blocks from this number on were replaced. `onUpdate` follows. */
  onReorg(fromBlock: bigint): Promise<void>;
  /** Called when the head was seen, new or not, and with null when the node failed. The next call follows within `validForMs`. */
  onHead(head: Header | null, validForMs: number): void;
};

/** The one part of a process that asks a chain's node for heads and new logs. */
export type Follower = {
  /** The newest head that was handled; null before the first. */
  head(): Header | null;
  stop(): Promise<void>;
};

/** In the frugal profile, time between two requests for the head. */
const FRUGAL_MS = 15_000;
/** After a failure it asks less often. A node that is back is noticed within this time. */
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 4_000;
const REMEMBERED_BLOCKS = 256;
/** Up to this many blocks between two heads are read one by one, so that each is linked to the one before. */
const LONGEST_PATH = 40n;
/** A longer gap is left to those who need its logs. */
const LONGEST_STRETCH = 500n;
/** A head that is known is valid for so many intervals, and at least so long. */
const VALID_INTERVALS = 3;
const SHORTEST_VALID_MS = 5_000;
/**
 * The endpoint that is polled may be so far behind the one of the WebSocket, whose subscription then began after blocks that are still to
 * come: their logs are asked for.
 */
const SETTLING_MS = 5_000;

/**
 * Follows a chain until `stop()`. Heads are polled: a header that a WebSocket pushes costs several times the price of a request at providers
 * that charge by byte. Events are pushed where there is a WebSocket, and each leads to its head at once. No failure ends it.
 */
export function createFollower(options: FollowerOptions): Follower {
  const { client, contract, logger, profile } = options;
  const known = createKnownBlocks(REMEMBERED_BLOCKS);
  const clock = createBlockClock();
  const reader = createLogReader({ chain: { contract }, chainData: client, logger });
  let hasSnapshotBlocks = false;
  let isStopped = false;
  /** The last head that was handled; null at the start, so that the first one is reported. */
  let last: Header | null = null;
  /** A reorganisation that `onReorg` has not accepted yet. */
  let changedFrom: bigint | null = null;
  let wake = Promise.withResolvers<void>();
  /** Logs that the WebSocket sent after their block was handled. */
  let late: IndexedLog[] = [];
  /** When the subscription to logs began; null without one. */
  let subscribedAt: number | null = null;
  /** The update that was not accepted yet. */
  let pending: ChainUpdate | null = null;

  const socket =
    options.wsUrl === null
      ? null
      : listenLogs({
          ...{ url: options.wsUrl, chainId: options.chainId, contract, logger },
          onLogs(logs) {
            late.push(...reader.push(logs));
            wake.resolve();
          },
          onLive(isLive) {
            subscribedAt = isLive ? performance.now() : null;
            wake.resolve();
          },
        });

  async function step(): Promise<void> {
    if (!hasSnapshotBlocks) for (const block of await options.readSnapshotBlocks()) known.add(block);
    hasSnapshotBlocks = true;
    if (pending !== null) await deliver(pending);
    if (late.length > 0 && last !== null) {
      const lateLogs = late;
      late = [];
      await deliver({ after: last, head: last, blocks: [], logs: [], lateLogs });
    }
    const askedAt = performance.now();
    reader.setLive(profile === "fresh" && subscribedAt !== null && askedAt - subscribedAt > SETTLING_MS);
    await handle(await readHeader(client, "latest"), askedAt);
  }

  async function handle(head: Header, askedAt: number): Promise<void> {
    if (last?.hash === head.hash) return clock.missed();
    const path = last === null ? null : await pathFrom(last, head);
    if (path === null) {
      changedFrom = lower(changedFrom, await known.rewind(head, (number) => hashAt(client, number)));
    }
    if (changedFrom !== null) {
      logger.warn({ fromBlock: changedFrom.toString() }, "the chain was reorganised");
      await options.onReorg(changedFrom);
      changedFrom = null;
      last = null;
      reader.forget();
    }
    if (last !== null && head.number <= last.number) return;
    await publish(head, path ?? [head]);
    clock.saw(head, askedAt);
  }

  async function publish(head: Header, blocks: Header[]): Promise<void> {
    const after = last;
    const read =
      after === null || head.number - after.number > LONGEST_STRETCH
        ? { logs: null, lateLogs: [] }
        : await reader.read({ from: Number(after.number) + 1, blocks, head });
    await deliver({ after, head, blocks, ...read });
  }

  /** An update that is not accepted is kept: the node would not send its logs again. */
  async function deliver(update: ChainUpdate): Promise<void> {
    pending = update;
    await options.onUpdate(update);
    pending = null;
    last = update.head;
    if (update.blocks.length > 0) known.add(update.head);
  }

  /** The blocks after `from` up to `head`, each linked to the one before; null where they are not, or not read. */
  async function pathFrom(from: Header, head: Header): Promise<Header[] | null> {
    const gap = head.number - from.number;
    if (gap <= 0n || gap > LONGEST_PATH || (gap > 1n && profile === "frugal")) return null;
    const between = Array.from({ length: Number(gap) - 1 }, (_, index) => from.number + 1n + BigInt(index));
    const path = [...(await Promise.all(between.map((number) => readHeader(client, numberToHex(number))))), head];
    const isLinked = path.every((header, index) => header.parentHash === (path[index - 1] ?? from).hash);
    return isLinked ? path : null;
  }

  /** How long to wait for the next head. */
  function pauseMs(failures: number): number {
    if (failures > 0) return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10));
    if (late.length > 0) return 0;
    if (options.headEveryMs !== undefined) return options.headEveryMs;
    if (profile === "frugal") return FRUGAL_MS;
    const now = performance.now();
    return clock.nextAt(now) - now;
  }

  /** How long the head that is known is valid: the next poll follows within this time. */
  function validForMs(): number {
    if (profile === "frugal") return 2 * FRUGAL_MS;
    return Math.max(SHORTEST_VALID_MS, VALID_INTERVALS * (clock.intervalMs() ?? 0)) + LONGEST_RETRY_MS;
  }

  async function follow(): Promise<void> {
    for (let failures = 0; !isStopped; ) {
      try {
        await step();
        failures = 0;
        options.onHead(last, validForMs());
      } catch (error) {
        failures++;
        if (failures === 1) {
          logger.warn({ err: error }, "following the chain's head failed; retrying");
          options.onHead(null, LONGEST_RETRY_MS);
        }
      }
      if (!isStopped) await Promise.race([Bun.sleep(pauseMs(failures)), wake.promise]);
      wake = Promise.withResolvers();
    }
  }

  const following = follow();
  return {
    head: () => last,
    async stop() {
      isStopped = true;
      wake.resolve();
      await Promise.all([following, socket?.stop()]);
    },
  };
}

async function readHeader(client: ChainClient, block: Hex | "latest"): Promise<Header> {
  try {
    return parseHeader(await client.rpc("eth_getBlockByNumber", [block, false]));
  } catch (error) {
    throw asServiceError(error);
  }
}

async function hashAt(client: ChainClient, number: bigint): Promise<Hex | null> {
  try {
    const answer = await client.rpc("eth_getBlockByNumber", [numberToHex(number), false]);
    return answer === null ? null : parseHeader(answer).hash;
  } catch (error) {
    throw asServiceError(error);
  }
}

function lower(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

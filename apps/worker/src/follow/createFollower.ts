import { type Header, parseHeader } from "@dueday/chain/block/parseHeader";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { upstreamError } from "@dueday/chain/client/upstreamError";
import type { RpcProfile } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import type { IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { type Address, type Hex, numberToHex } from "viem";
import { createFaultLog } from "../createFaultLog";
import type { ChainUpdate } from "../logs/chainUpdate";
import { createRangeSize, type RangeSize } from "../logs/createRangeSize";
import { createBlockClock } from "./createBlockClock";
import { createKnownBlocks, type KnownBlock } from "./createKnownBlocks";
import { createLogReader, OVERLAP_MS } from "./createLogReader";
import { createStorageWatch } from "./createStorageWatch";
import { listenLogs } from "./listenLogs";
import { paces } from "./paces";

export type FollowerOptions = {
  chainId: number;
  client: ChainClient;
  contract: Address;
  logger: Logger;
  profile: RpcProfile;
  wsUrl: string | null;
  /**
   * Used in the frugal profile only: the client of a node that accepts wide ranges, from which logs are read. Default: `client`; then blocks
   * whose logs take more than `MOST_REQUESTS` requests may be left unread.
   */
  logsClient?: ChainClient | undefined;
  /** How many blocks the node of the logs accepts as a range. Default: learned by this follower alone. */
  rangeSize?: RangeSize;
  /** Milliseconds between two polls. Default: by the profile and the chain's own interval. */
  headEveryMs?: number | undefined;
  /** The blocks of the stored snapshots: one of them may have been replaced while no worker ran. */
  readSnapshotBlocks(): Promise<readonly KnownBlock[]>;
  /** Called for each new head, in order, and for logs that arrive after their block. An update is repeated until this succeeds; the next head is read only then. */
  onUpdate(update: ChainUpdate): Promise<void>;
  /** Called when the blocks from this number on were replaced; repeated until it succeeds. `onUpdate` follows. */
  onReorg(fromBlock: bigint): Promise<void>;
  /**
   * Called after each poll that succeeded, with a new head or the known one; the next call follows within `validForMs`. Called with null for
   * the first of several failures in a row: then the next call comes when a poll succeeds.
   */
  onHead(head: Header | null, validForMs: number): void;
  /** Called for each poll that failed. */
  onFailure?(error: unknown): void;
};

/** The one part of a process that asks a chain's node for heads and new logs. */
export type Follower = {
  /** The newest head that was handled; null before the first, and from a reorganisation to the next head. */
  head(): Header | null;
  stop(): Promise<void>;
};

/** Pauses after failures grow from the first to the longest: a node that is back is noticed within the longest. */
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 4_000;
/** Heads that are remembered to find the depth of a reorganisation: those of some minutes. After a deeper one, every block counts as replaced. */
const REMEMBERED_HEADS = 256;
/** If more time than this lies between two heads, the follower reports no logs (`logs: null`): the receiver of the update reads those that it needs. */
const LONGEST_STRETCH_SECONDS = 120n;
/** Outside of the frugal profile, a known head is valid for `VALID_POLLS` polls, and at least for `SHORTEST_VALID_MS`. */
const VALID_POLLS = 3;
const SHORTEST_VALID_MS = 5_000;
/**
 * For this time after a subscription began, logs are still requested. The polled endpoint may be behind that of the WebSocket: it then
 * returns, after the subscription began, blocks that were made before, whose logs are not sent.
 */
const SETTLING_MS = 5_000;
/** Pauses before the head is asked for again while the WebSocket has sent logs of a later one. */
const BEHIND_PAUSES_MS = [60, 60, 120, 250, 500];
/** Where ranges are capped, each overlaps the previous one by at least this time: a block may be served before its logs. */
const LEAST_OVERLAP_MS = 400;

/** In the frugal profile, blocks whose logs take more requests than this are left unread if the contract's storage is known to be unchanged. */
const MOST_REQUESTS = 2;

/** Each range reaches back over this many polls, and over `OVERLAP_MS` at least, so that late logs are found. */
const OVERLAPPING_POLLS = 1.5;

/**
 * Follows a chain until `stop()`. Where blocks come faster than the profile's pace (`paces`), and always in the frugal profile, heads are
 * polled at that pace, because each poll has a cost; elsewhere each block is asked for when it is expected. Events are read in one range for
 * each poll, or pushed where there is a WebSocket; after a pushed event the head is requested at once. A reorganisation shows in the parent
 * of the next block, in logs that are gone, and within `pathMs` in the hash of a remembered head. No failure ends the follower.
 */
export function createFollower(options: FollowerOptions): Follower {
  const { client, contract, logger, profile, rangeSize = createRangeSize() } = options;
  const pace = paces[profile];
  const texts = {
    failed: "following the chain's head failed; retrying",
    succeeded: "the chain's head is followed again",
  };
  const faults = createFaultLog(logger, texts);
  const known = createKnownBlocks(REMEMBERED_HEADS);
  const clock = createBlockClock(paceMs);
  const logsClient = profile === "frugal" ? (options.logsClient ?? client) : client;
  const overlapMs = Math.max(OVERLAP_MS, OVERLAPPING_POLLS * pace.headMs);
  const reader = createLogReader({ chain: { contract }, chainData: logsClient, logger }, rangeSize, overlapMs);
  const storage = createStorageWatch(client.rpc, contract);
  let hasSnapshotBlocks = false;
  let isStopped = false;
  /** The last head that was handled; null at the start, so that the first one is reported. */
  let last: Header | null = null;
  /** When `last` was last known to be on the chain: its hash was compared, or it was the parent of the head after it. */
  let linkedAt = 0;
  /** Something shows that remembered blocks may have been replaced. */
  let isSuspicious = false;
  /** A reorganisation that `onReorg` has not accepted yet. */
  let changedFrom: bigint | null = null;
  let wake = Promise.withResolvers<void>();
  /** Logs that the WebSocket sent after their block was handled. */
  let late: IndexedLog[] = [];
  /** When the subscription to logs began, or the chain was reorganised after that; null without one. */
  let subscribedAt: number | null = null;
  /** The update that was not accepted yet. */
  let pending: ChainUpdate | null = null;
  /** How many polls in a row have ended while logs from the WebSocket were waiting, because their block is above the polled head. */
  let behind = 0;

  const socket =
    options.wsUrl === null
      ? null
      : listenLogs({
          url: options.wsUrl,
          chainId: options.chainId,
          contract,
          logger,
          onLogs(logs) {
            late.push(...reader.push(logs));
            wake.resolve();
          },
          onRemoved() {
            isSuspicious = true;
            wake.resolve();
          },
          onLive(isLive) {
            subscribedAt = isLive ? performance.now() : null;
            wake.resolve();
          },
        });

  function isLive(now: number): boolean {
    return profile === "fresh" && subscribedAt !== null && now - subscribedAt > SETTLING_MS;
  }

  async function step(): Promise<void> {
    if (!hasSnapshotBlocks) for (const block of await options.readSnapshotBlocks()) known.add(block);
    hasSnapshotBlocks = true;
    if (pending !== null) await deliver(pending);
    if (late.length > 0 && last !== null) {
      const lateLogs = late;
      late = [];
      await deliver({ after: last, head: last, logs: [], lateLogs });
    }
    const askedAt = performance.now();
    reader.setLive(isLive(askedAt));
    await handle(await readHeader(client, "latest"), askedAt);
    behind = reader.isAhead() ? behind + 1 : 0;
  }

  async function handle(head: Header, askedAt: number): Promise<void> {
    if (last?.hash === head.hash) {
      isSuspicious = false;
      return clock.missed();
    }
    if (last === null || head.number <= last.number || !(await isLinked(last, head, askedAt))) {
      changedFrom = lower(changedFrom, await known.rewind(head, (number) => hashAt(client, number)));
      linkedAt = askedAt;
      isSuspicious = false;
    }
    if (changedFrom !== null) {
      await options.onReorg(changedFrom);
      logger.warn({ fromBlock: changedFrom.toString() }, "the chain was reorganised");
      changedFrom = null;
      last = null;
      reader.forget();
      storage.forget();
      // The reader also forgets logs that were pushed for blocks above this head, so logs are requested for a while.
      if (subscribedAt !== null) subscribedAt = performance.now();
    }
    if (last !== null && head.number <= last.number) return clock.missed();
    await publish(head);
    clock.saw(head, askedAt);
  }

  /** Whether the chain of `head` is known to contain `from`, or was found to contain it a short while ago. */
  async function isLinked(from: Header, head: Header, now: number): Promise<boolean> {
    if (head.number === from.number + 1n) {
      if (head.parentHash !== from.hash) return false;
      linkedAt = now;
      return !isSuspicious;
    }
    return !isSuspicious && now - linkedAt < pace.pathMs;
  }

  async function publish(head: Header): Promise<void> {
    const after = last;
    if (after === null || head.timestamp - after.timestamp > LONGEST_STRETCH_SECONDS) {
      return deliver({ after, head, logs: null, lateLogs: [] });
    }
    if (profile === "frugal" && logsClient === client && (await mayStayUnread(after, head))) {
      const unread = { from: Number(after.number) + 1, to: Number(head.number) };
      return deliver({ after, head, logs: [], lateLogs: [], unread });
    }
    try {
      if (logsClient !== client) await expectHead(logsClient, head);
      const { logs, lateLogs, haveVanished } = await reader.read({ from: Number(after.number) + 1, head });
      if (haveVanished) isSuspicious = true;
      await deliver({ after, head, logs, lateLogs });
    } catch (error) {
      storage.forget();
      // The logs are of other blocks than the headers, or the node no longer has some blocks: the next poll compares the remembered blocks
      // with the node's.
      if (asServiceError(error).details.failure === "missing_block") isSuspicious = true;
      throw error;
    }
  }

  /** Whether reading these blocks is expensive, and the contract's storage is known to be the same as at the previous check. */
  async function mayStayUnread(after: Header, head: Header): Promise<boolean> {
    if (Number(head.number - after.number) <= MOST_REQUESTS * rangeSize.current()) return false;
    return (await storage.check(head)) === "same";
  }

  /** An update that is not accepted is kept: the node would not send its logs again. */
  async function deliver(update: ChainUpdate): Promise<void> {
    pending = update;
    await options.onUpdate(update);
    pending = null;
    if (last?.hash !== update.head.hash) known.add(update.head);
    last = update.head;
  }

  /**
   * Time from one poll to the next, in milliseconds, where blocks come faster than that. It is the profile's, or less where that lets the new
   * blocks, and the overlap with those before them, fill whole ranges of the width that the node accepts.
   */
  function paceMs(): number {
    if (isLive(performance.now())) return pace.liveHeadMs;
    const intervalMs = clock.intervalMs();
    if (intervalMs === null || profile === "frugal") return pace.headMs;
    const rangeMs = rangeSize.current() * intervalMs;
    const ranges = Math.max(1, Math.floor((pace.headMs + LEAST_OVERLAP_MS) / rangeMs));
    return Math.min(pace.headMs, Math.max(intervalMs, ranges * rangeMs - LEAST_OVERLAP_MS));
  }

  /** How long to wait for the next head. */
  function pauseMs(failures: number): number {
    if (failures > 0) return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10));
    if (late.length > 0) return 0;
    if (isSuspicious) return FIRST_RETRY_MS;
    const behindMs = BEHIND_PAUSES_MS[behind - 1];
    if (behindMs !== undefined) return behindMs;
    if (options.headEveryMs !== undefined) return options.headEveryMs;
    if (profile === "frugal") return pace.headMs;
    const now = performance.now();
    return Math.max(0, clock.nextAt(now) - now);
  }

  /** How long the known head is valid: the next poll follows within this time. */
  function validForMs(): number {
    if (profile === "frugal") return 2 * pace.headMs;
    return Math.max(SHORTEST_VALID_MS, VALID_POLLS * Math.max(clock.intervalMs() ?? 0, paceMs())) + LONGEST_RETRY_MS;
  }

  async function follow(): Promise<void> {
    for (let failures = 0; !isStopped; ) {
      try {
        await step();
        failures = 0;
        faults.succeeded();
        options.onHead(last, validForMs());
      } catch (error) {
        failures++;
        options.onFailure?.(error);
        faults.failed(error);
        if (failures === 1) options.onHead(null, LONGEST_RETRY_MS);
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

/** Throws if the node of the logs does not have the head: it would return no logs of a block that it does not have. */
async function expectHead(client: ChainClient, head: Header): Promise<void> {
  if ((await hashAt(client, head.number)) !== head.hash) throw upstreamError({ kind: "missing_block" }, "eth_getLogs");
}

async function readHeader(client: ChainClient, block: Hex | "latest"): Promise<Header> {
  try {
    return parseHeader(await client.rpc("eth_getBlockByNumber", [block, false]));
  } catch (error) {
    throw asServiceError(error);
  }
}

async function hashAt(client: ChainClient, number: bigint): Promise<Hex> {
  return (await readHeader(client, numberToHex(number))).hash;
}

function lower(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

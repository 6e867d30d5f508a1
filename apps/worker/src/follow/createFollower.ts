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
import { listenHeads } from "./listenHeads";

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
/** Over a WebSocket, a head that is later than so many intervals is asked for. */
const SILENT_INTERVALS = 3;
const SHORTEST_SILENCE_MS = 5_000;

/** Follows the head of a chain until `stop()`: by WebSocket where there is one and it works, else by polling. No failure ends it. */
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
  /** From the WebSocket: heads not handled yet, and late logs. */
  let pushedHeads: Header[] = [];
  let late: IndexedLog[] = [];
  let socketState: "off" | "catching_up" | "live" = "off";
  /** The update that was not accepted yet. */
  let pending: ChainUpdate | null = null;

  const socket =
    options.wsUrl === null
      ? null
      : listenHeads({
          ...{ url: options.wsUrl, chainId: options.chainId, contract, logger, clockBound: options.clockBound },
          heads: profile === "fresh",
          onHead(head) {
            pushedHeads = [...pushedHeads, head].slice(-REMEMBERED_BLOCKS);
            wake.resolve();
          },
          onLogs(logs) {
            late.push(...reader.push(logs));
            if (late.length > 0 || profile === "frugal") wake.resolve();
          },
          onLive(isLive) {
            // The blocks before the subscription are asked for, those after the head that is found then are sent.
            socketState = isLive ? "catching_up" : "off";
            reader.setLive(false);
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
    const pushed = pushedHeads.at(-1);
    if (pushed !== undefined && socketState === "live") return handle(pushed, performance.now());
    await poll();
  }

  /** Asks for the head, where there is no subscription, where it begins, and where it was silent for long. */
  async function poll(): Promise<void> {
    const before = { socketState, last };
    reader.setLive(false);
    const askedAt = performance.now();
    await handle(await readHeader(client, "latest"), askedAt);
    if (before.socketState === "live" && before.last !== last && profile === "fresh") return socket?.restart();
    if (before.socketState === "off" || before.socketState !== socketState) return;
    socketState = "live";
    reader.setLive(profile === "fresh");
  }

  async function handle(head: Header, askedAt: number): Promise<void> {
    if (last?.hash === head.hash) {
      pushedHeads = [];
      clock.missed();
      return;
    }
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
    if (last !== null && head.number <= last.number) {
      pushedHeads = [];
      return;
    }
    await publish(head, path ?? [head]);
    pushedHeads = pushedHeads.filter(({ number }) => number > head.number);
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
    const sent = new Map(pushedHeads.map((header) => [header.number, header]));
    const between = Array.from({ length: Number(gap) - 1 }, (_, index) => from.number + 1n + BigInt(index));
    const path = [
      ...(await Promise.all(between.map((number) => sent.get(number) ?? readHeader(client, numberToHex(number))))),
      head,
    ];
    const isLinked = path.every((header, index) => header.parentHash === (path[index - 1] ?? from).hash);
    return isLinked ? path : null;
  }

  /** How long to wait for the next head, and how soon the next call of `onHead` is certain. */
  function pauseMs(failures: number): number {
    if (failures > 0) return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10));
    if (socketState === "catching_up" || late.length > 0) return 0;
    if (profile === "frugal") return FRUGAL_MS;
    if (socketState === "live") return silenceMs();
    const now = performance.now();
    return clock.nextAt(now) - now;
  }

  function silenceMs(): number {
    return Math.max(SHORTEST_SILENCE_MS, SILENT_INTERVALS * (clock.intervalMs() ?? 0));
  }

  async function follow(): Promise<void> {
    for (let failures = 0; !isStopped; ) {
      try {
        await step();
        failures = 0;
        options.onHead(last, profile === "frugal" ? 2 * FRUGAL_MS : silenceMs() + LONGEST_RETRY_MS);
      } catch (error) {
        failures++;
        if (failures === 1) {
          logger.warn({ err: error }, "following the chain's head failed; retrying");
          options.onHead(null, LONGEST_RETRY_MS);
        }
      }
      if (pushedHeads.length === 0 && !isStopped) {
        await Promise.race([Bun.sleep(pauseMs(failures)), wake.promise]);
      } else if (failures > 0) await Bun.sleep(pauseMs(failures));
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

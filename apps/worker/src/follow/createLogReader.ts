import { createBloomJudge } from "@dueday/chain/block/createBloomJudge";
import type { Header } from "@dueday/chain/block/parseHeader";
import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { upstreamError } from "@dueday/chain/client/upstreamError";
import { ServiceError } from "@dueday/core/errors";
import { protocolEventTopics } from "@dueday/core/events/decodeProtocolEvent";
import type { IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import type { Hex } from "viem";
import { createNarrowingFetch } from "../logs/createNarrowingFetch";
import type { RangeSize } from "../logs/createRangeSize";
import { fetchBlockLogs, fetchDenseBlock, type LogSource } from "../logs/fetchLogs";
import { KEEP_ALIVE_MS } from "./listenLogs";

/** The blocks after the last known head up to `head`. */
export type Stretch = {
  /** First block whose logs are wanted. */
  from: number;
  head: Header;
};

export type NewLogs = {
  /** Events of the stretch, in order. */
  logs: IndexedLog[];
  /** Events of earlier blocks, which the node did not return before. */
  lateLogs: IndexedLog[];
  /** Events of earlier blocks are not there any more: their blocks may have been replaced. */
  haveVanished: boolean;
};

/** Reads the logs of each stretch of blocks once, and those of the blocks right before it again. */
export type LogReader = {
  read(stretch: Stretch): Promise<NewLogs>;
  /** Notes logs that a subscription sent. Returns those of blocks that were read before. */
  push(logs: readonly IndexedLog[]): IndexedLog[];
  /** Whether the subscription has sent logs of blocks that were not read yet. */
  isAhead(): boolean;
  /** Whether a subscription sends the logs of all blocks from now on: the node is then asked only for what a header announces. */
  setLive(isLive: boolean): void;
  /** Forgets the blocks that were read: some of them were replaced. */
  forget(): void;
};

/**
 * A node may return a header before it can find the logs of its block. For at least this time after a block was first seen, its logs are
 * requested again together with those of the next blocks, which costs no further request, as far as the node's cap on ranges leaves room.
 */
export const OVERLAP_MS = 5_000;
/** The same for blocks whose logs were taken from a subscription: its loss is noticed within this time. */
const UNPROVEN_MS = 3 * KEEP_ALIVE_MS;
/** Stretches that are remembered to find late logs in them. */
const REMEMBERED = 64;
/** Pauses before the logs of a block are requested again if its header shows that it has some. */
const ANNOUNCED_PAUSES_MS = [100, 200, 400, 800, 1_500];
/** Time for the logs of a new block to arrive by subscription: the least, unless its header excludes logs, and the most, if it announces some. */
const GRACE_MS = 25;
const LONGEST_GRACE_MS = 300;
const GRACE_STEP_MS = 5;

/** A stretch that was read, with the names of its known logs. */
type ReadStretch = { from: number; to: number; hash: Hex; known: Map<string, number>; askAgainUntil: number };

/**
 * @param size How many blocks the node accepts as a range, as learned from all requests for its logs.
 * @param overlapMs How long the logs of a block are requested again.
 */
export function createLogReader(source: LogSource, size: RangeSize, overlapMs = OVERLAP_MS): LogReader {
  const judge = createBloomJudge(source.chain.contract, protocolEventTopics);
  const fetchNarrowing = createNarrowingFetch(source, size);
  let recent: ReadStretch[] = [];
  /** Logs from the subscription whose block was not read yet. */
  let pushed: IndexedLog[] = [];
  let isLive = false;

  /** The logs from `from` to `head`. A single block is requested by its hash, so that a node with another block or none fails. */
  async function ask(from: number, head: Header): Promise<IndexedLog[]> {
    const to = Number(head.number);
    const block = { number: to, hash: lowerHash(head), timestamp: Number(head.timestamp) };
    if (from < to) return askInParts(from, to);
    try {
      return await fetchBlockLogs(source, block);
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      return fetchDenseBlock(source, block, error);
    }
  }

  /** In ranges that the node is known to accept. */
  async function askInParts(from: number, to: number): Promise<IndexedLog[]> {
    const logs: IndexedLog[] = [];
    for (let start = from; start <= to; ) {
      const end = Math.min(to, start + size.current() - 1);
      logs.push(...(await fetchNarrowing(start, end)));
      start = end + 1;
    }
    return logs;
  }

  /** What the subscription sent. If the head announces logs, waits until one of them has arrived; null if none arrives in time. */
  async function awaitPushed({ from, head }: Stretch): Promise<IndexedLog[] | null> {
    const verdict = judge(head);
    const graceMs = verdict === "absent" ? 0 : GRACE_MS;
    const isComplete = () => verdict !== "present" || pushed.some(({ blockHash }) => blockHash === lowerHash(head));
    for (let waited = 0; waited < LONGEST_GRACE_MS; waited += GRACE_STEP_MS) {
      if (isComplete() && waited >= graceMs) return takePushed(from, head);
      await Bun.sleep(GRACE_STEP_MS);
    }
    return isComplete() ? takePushed(from, head) : null;
  }

  /** Returns the pushed logs up to the head. Those of later blocks wait, because the polled endpoint may be behind. */
  function takePushed(from: number, head: Header): IndexedLog[] {
    const to = Number(head.number);
    const taken = pushed.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to);
    if (taken.some(({ blockNumber, blockHash }) => blockNumber === to && blockHash !== lowerHash(head)))
      throw changed();
    return taken.sort(inOrder);
  }

  /** Repeats the request some times while the head announces logs and the node returns none of the head. */
  async function askPatiently(lowest: number, head: Header): Promise<IndexedLog[]> {
    const isAnnounced = judge(head) === "present";
    for (let attempt = 0; ; attempt++) {
      const logs = await ask(lowest, head);
      const pauseMs = ANNOUNCED_PAUSES_MS[attempt];
      if (!isAnnounced || pauseMs === undefined || logs.some(({ blockHash }) => blockHash === lowerHash(head)))
        return logs;
      await Bun.sleep(pauseMs);
    }
  }

  function remember({ from, head }: Stretch, logs: readonly IndexedLog[], againMs: number): void {
    const to = Number(head.number);
    const known = new Map(logs.map((log) => [nameOf(log), log.blockNumber]));
    const askAgainUntil = performance.now() + againMs;
    recent = [...recent, { from, to, hash: lowerHash(head), known, askAgainUntil }].slice(-REMEMBERED);
    pushed = pushed.filter(({ blockNumber }) => blockNumber > to);
  }

  /** The logs of remembered stretches that were not known before. They are known from now on. */
  function takeLate(logs: readonly IndexedLog[]): IndexedLog[] {
    return logs.filter((log) => {
      const stretch = recent.find(({ from, to }) => log.blockNumber >= from && log.blockNumber <= to);
      if (stretch === undefined || stretch.known.has(nameOf(log))) return false;
      stretch.known.set(nameOf(log), log.blockNumber);
      return true;
    });
  }

  /** The first block to ask for: with the young blocks before the stretch, as far as all fit into one range. */
  function lowestOf({ from, head }: Stretch): number {
    const now = performance.now();
    const young = recent.filter(({ askAgainUntil }) => now < askAgainUntil).map((each) => each.from);
    const fitting = Number(head.number) - size.current() + 1;
    return Math.min(from, Math.max(fitting, Math.min(from, ...young)));
  }

  return {
    setLive(live) {
      isLive = live;
    },
    isAhead: () => pushed.length > 0,
    forget() {
      recent = [];
      pushed = [];
    },
    push(logs) {
      const readTo = recent.at(-1)?.to ?? -1;
      pushed.push(...logs.filter(({ blockNumber }) => blockNumber > readTo));
      return takeLate(logs.filter(({ blockNumber }) => blockNumber <= readTo));
    },
    async read(stretch) {
      const { from, head } = stretch;
      if (from === Number(head.number) && judge(head) === "absent") {
        remember(stretch, [], 0);
        return { logs: [], lateLogs: [], haveVanished: false };
      }
      const fromSubscription = isLive ? await awaitPushed(stretch) : null;
      if (fromSubscription !== null) {
        remember(stretch, fromSubscription, UNPROVEN_MS);
        return { logs: fromSubscription, lateLogs: [], haveVanished: false };
      }
      const lowest = lowestOf(stretch);
      const all = await askPatiently(lowest, head);
      const hashes = new Map(
        [...recent, { to: Number(head.number), hash: lowerHash(head) }].map((each) => [each.to, each.hash]),
      );
      for (const { blockNumber, blockHash } of all) {
        // The chain changed between the header and its logs, or they come from another node: ask for both again.
        if ((hashes.get(blockNumber) ?? blockHash) !== blockHash) throw changed();
      }
      const found = new Set(all.map(nameOf));
      const haveVanished = recent.some(({ known }) =>
        [...known].some(([name, blockNumber]) => blockNumber >= lowest && !found.has(name)),
      );
      const logs = all.filter(({ blockNumber }) => blockNumber >= from);
      const lateLogs = takeLate(all.filter(({ blockNumber }) => blockNumber < from));
      remember(stretch, logs, overlapMs);
      return { logs, lateLogs, haveVanished };
    },
  };
}

function isTooMuch(error: unknown): boolean {
  return error instanceof RpcRefusal || (error instanceof ServiceError && error.details.failure === "too_large");
}

function changed(): ServiceError {
  return upstreamError({ kind: "missing_block" }, "eth_getLogs");
}

function nameOf({ blockHash, logIndex }: IndexedLog): string {
  return `${blockHash} ${logIndex}`;
}

function lowerHash({ hash }: Header): Hex {
  // Lower case keeps the prefix.
  return hash.toLowerCase() as Hex;
}

function inOrder(a: IndexedLog, b: IndexedLog): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;
}

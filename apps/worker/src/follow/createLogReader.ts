import { createBloomJudge } from "@dueday/chain/block/createBloomJudge";
import type { Header } from "@dueday/chain/block/parseHeader";
import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { upstreamError } from "@dueday/chain/client/upstreamError";
import { ServiceError } from "@dueday/core/errors";
import { protocolEventTopics } from "@dueday/core/events/decodeProtocolEvent";
import type { IndexedLog } from "@dueday/db/index/indexedLog";
import type { Hex } from "viem";
import { createNarrowingFetch } from "../indexer/createNarrowingFetch";
import { createRangeSize } from "../indexer/createRangeSize";
import { fetchBlockLogs, fetchDenseBlock, fetchRange, type LogSource } from "../indexer/fetchLogs";
import { KEEP_ALIVE_MS } from "./listenLogs";

/** The blocks from the one after the last known up to `head`. */
export type Stretch = {
  /** First block whose logs are wanted. */
  from: number;
  /** The blocks that are known by their headers, lowest first, `head` last. Without a gap: every block from `from` on. */
  blocks: readonly Header[];
  head: Header;
};

export type NewLogs = {
  /** Events of the stretch, in order. */
  logs: IndexedLog[];
  /** Events of earlier blocks, which the node did not return before. */
  lateLogs: IndexedLog[];
};

/** Reads the logs of each stretch of blocks once, and those of the blocks right before it again. */
export type LogReader = {
  read(stretch: Stretch): Promise<NewLogs>;
  /** Notes logs that a subscription sent. Returns those of blocks that were read before. */
  push(logs: readonly IndexedLog[]): IndexedLog[];
  /** Whether a subscription sends the logs of all blocks from now on: the node is then asked only for what a header announces. */
  setLive(isLive: boolean): void;
  /** Forgets the blocks that were read: some of them were replaced. */
  forget(): void;
};

/**
 * A node may return a header before it can find the logs of its block. Blocks first seen in this time are asked for again
 * together with the next, which costs no further request.
 */
const OVERLAP_MS = 5_000;
/** The same for blocks whose logs a subscription sent, or did not: that it was lost is noticed within this time. */
const UNPROVEN_MS = 3 * KEEP_ALIVE_MS;
/** Blocks that are remembered to find late logs in them. */
const REMEMBERED = 64;
/** Pauses before the logs of a block are asked for again whose header shows that it has some. */
const ANNOUNCED_PAUSES_MS = [100, 200, 400, 800, 1_500];
/** How long the logs of a new block may arrive after it over a subscription: where its header says nothing, and where it has some. */
const GRACE_MS = 25;
const LONGEST_GRACE_MS = 300;
const GRACE_STEP_MS = 5;

type ReadBlock = { header: Header; known: Set<number>; askAgainUntil: number };

export function createLogReader(source: LogSource): LogReader {
  const judge = createBloomJudge(source.chain.contract, protocolEventTopics);
  let recent: ReadBlock[] = [];
  /** Logs from the subscription whose block was not read yet. */
  const pushed = new Map<Hex, IndexedLog[]>();
  let isLive = false;

  /** The logs from `from` to `head`. By hash where it is one block: a node that has another one, or none, fails. */
  async function ask(from: number, head: Header): Promise<IndexedLog[]> {
    const to = Number(head.number);
    const block = { number: to, hash: lowerHash(head), timestamp: Number(head.timestamp) };
    try {
      return await (from < to ? fetchRange(source, from, to) : fetchBlockLogs(source, block));
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      return from < to ? askInParts(from, to) : fetchDenseBlock(source, block, error);
    }
  }

  /** Logs that the node does not return together would stop the follower, and with it every scan. */
  async function askInParts(from: number, to: number): Promise<IndexedLog[]> {
    const size = createRangeSize({ first: Math.ceil((to - from + 1) / 2) });
    const fetchNarrowing = createNarrowingFetch(source, size);
    const logs: IndexedLog[] = [];
    for (let start = from; start <= to; ) {
      const end = Math.min(to, start + size.current() - 1);
      logs.push(...(await fetchNarrowing(start, end)));
      start = end + 1;
    }
    return logs;
  }

  function takePushed(blocks: readonly Header[]): IndexedLog[] {
    return blocks.flatMap((block) => pushed.get(lowerHash(block)) ?? []).sort(inOrder);
  }

  /** What the subscription sent, once the blocks that announce logs have some; null where they still have none. */
  async function awaitPushed(blocks: readonly Header[]): Promise<IndexedLog[] | null> {
    const announced = blocks.filter((block) => judge(block) === "present");
    const isVague = blocks.some((block) => judge(block) === "unknown");
    const isComplete = () => announced.every((block) => pushed.has(lowerHash(block)));
    for (let waited = 0; waited < LONGEST_GRACE_MS; waited += GRACE_STEP_MS) {
      if (isComplete() && (!isVague || waited >= GRACE_MS)) return takePushed(blocks);
      await Bun.sleep(GRACE_STEP_MS);
    }
    return isComplete() ? takePushed(blocks) : null;
  }

  /** Asks again while a header announces logs and the node returns none, some times. */
  async function askPatiently({ from, blocks, head }: Stretch, lowest: number): Promise<IndexedLog[]> {
    const announced = blocks.filter((block) => judge(block) === "present").map(lowerHash);
    for (let attempt = 0; ; attempt++) {
      const logs = await ask(Math.min(from, lowest), head);
      const found = new Set(logs.map(({ blockHash }) => blockHash));
      const pauseMs = ANNOUNCED_PAUSES_MS[attempt];
      if (pauseMs === undefined || announced.every((hash) => found.has(hash))) return logs;
      await Bun.sleep(pauseMs);
    }
  }

  function remember(blocks: readonly Header[], logs: readonly IndexedLog[], overlapMs: number): void {
    const until = performance.now() + overlapMs;
    const read = blocks.map((header) => ({
      ...{ header, askAgainUntil: judge(header) === "absent" ? 0 : until },
      known: new Set(logs.filter(({ blockHash }) => blockHash === lowerHash(header)).map(({ logIndex }) => logIndex)),
    }));
    recent = [...recent.filter(({ header }) => header.number < (blocks[0]?.number ?? 0n)), ...read].slice(-REMEMBERED);
    for (const block of blocks) pushed.delete(lowerHash(block));
    // Blocks that never became known were replaced.
    if (pushed.size > REMEMBERED) pushed.clear();
  }

  /** The logs of remembered blocks that were not known before. They are known from now on. */
  function takeLate(logs: readonly IndexedLog[]): IndexedLog[] {
    return logs.filter(({ blockHash, logIndex }) => {
      const block = recent.find(({ header }) => lowerHash(header) === blockHash);
      if (block === undefined || block.known.has(logIndex)) return false;
      block.known.add(logIndex);
      return true;
    });
  }

  return {
    setLive(live) {
      isLive = live;
    },
    forget() {
      recent = [];
      pushed.clear();
    },
    push(logs) {
      const known = new Set(recent.map(({ header }) => lowerHash(header)));
      const [late, early] = [
        logs.filter((log) => known.has(log.blockHash)),
        logs.filter((log) => !known.has(log.blockHash)),
      ];
      for (const log of early) pushed.set(log.blockHash, [...(pushed.get(log.blockHash) ?? []), log]);
      return takeLate(late);
    },
    async read(stretch) {
      const { from, blocks, head } = stretch;
      const isComplete = blocks.length === Number(head.number) - from + 1;
      const mayHaveLogs = !isComplete || blocks.some((block) => judge(block) !== "absent");
      if (!mayHaveLogs) {
        remember(blocks, [], 0);
        return { logs: [], lateLogs: [] };
      }
      const fromSubscription = isLive && isComplete ? await awaitPushed(blocks) : null;
      if (fromSubscription !== null) {
        remember(blocks, fromSubscription, UNPROVEN_MS);
        return { logs: fromSubscription, lateLogs: [] };
      }
      const young = recent.filter(({ askAgainUntil }) => performance.now() < askAgainUntil);
      const lowest = Math.min(from, ...young.map(({ header }) => Number(header.number)));
      const all = await askPatiently(stretch, lowest);
      const hashes = new Map(
        [...recent.map(({ header }) => header), ...blocks].map((each) => [Number(each.number), lowerHash(each)]),
      );
      for (const { blockNumber, blockHash } of all) {
        const expected = hashes.get(blockNumber);
        // The chain changed between the header and its logs, or they come from another node: ask for both again.
        if (expected !== undefined && expected !== blockHash)
          throw upstreamError({ kind: "missing_block" }, "eth_getLogs");
      }
      const logs = all.filter(({ blockNumber }) => blockNumber >= from);
      const lateLogs = takeLate(all.filter(({ blockNumber }) => blockNumber < from));
      remember(blocks, logs, OVERLAP_MS);
      return { logs, lateLogs };
    },
  };
}

function isTooMuch(error: unknown): boolean {
  return error instanceof RpcRefusal || (error instanceof ServiceError && error.details.failure === "too_large");
}

function lowerHash({ hash }: Header): Hex {
  // Lower case keeps the prefix.
  return hash.toLowerCase() as Hex;
}

function inOrder(a: IndexedLog, b: IndexedLog): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;
}

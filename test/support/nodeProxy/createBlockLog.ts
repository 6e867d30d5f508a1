import { isRecord } from "@dueday/chain/client/parseRpcAnswer";

/** A block that was seen at the node. */
export type SeenBlock = {
  number: number;
  hash: string;
  /** Unix milliseconds; rises by `BLOCK_MS` among blocks of one second. */
  timestampMs: number;
  /** Milliseconds of `performance.now()`; minus infinity for blocks that are older than the log. */
  seenAt: number;
};

/** Which blocks a node has shown, and when. */
export type BlockLog = {
  /** Reads the blocks since the last call; those of a reorganisation replace the ones before. */
  observe(): Promise<void>;
  at(number: number): SeenBlock | undefined;
  withHash(hash: string): SeenBlock | undefined;
  /** The latest block that was seen at least this time ago; block 0 where there is none. */
  latestOlderThan(ms: number): number;
};

type Ask = (method: string, params: unknown[]) => Promise<unknown>;

/** Offsets of the blocks of one second, as Base has them. */
const BLOCK_MS = 200;
const LAST_MS = 999;

export function createBlockLog(ask: Ask): BlockLog {
  const blocks: SeenBlock[] = [];
  let isStarted = false;
  let pending: Promise<void> = Promise.resolve();

  async function read(number: number): Promise<Record<string, unknown> | null> {
    const header = await ask("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]);
    return isRecord(header) ? header : null;
  }

  async function follow(): Promise<void> {
    const head = Number(await ask("eth_blockNumber", []));
    blocks.length = Math.min(blocks.length, head + 1);
    await dropReorganised();
    const seenAt = isStarted ? performance.now() : Number.NEGATIVE_INFINITY;
    for (let number = blocks.length; number <= head; number++) {
      const header = await read(number);
      // The chain was reorganised meanwhile: the next call goes on.
      if (header === null || (number > 0 && header.parentHash !== blocks[number - 1]?.hash)) return;
      blocks.push({ number, hash: String(header.hash), timestampMs: timeOf(header, blocks[number - 1]), seenAt });
    }
    isStarted = true;
  }

  async function dropReorganised(): Promise<void> {
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      const header = await read(last.number);
      if (header?.hash === last.hash) return;
      blocks.pop();
    }
  }

  return {
    observe() {
      pending = pending.then(follow);
      return pending;
    },
    at: (number) => blocks[number],
    withHash: (hash) => blocks.findLast((block) => block.hash === hash),
    latestOlderThan(ms) {
      const now = performance.now();
      return Math.max(
        0,
        blocks.findLastIndex(({ seenAt }) => now - seenAt >= ms),
      );
    },
  };
}

function timeOf(header: Record<string, unknown>, parent: SeenBlock | undefined): number {
  const startMs = Number(header.timestamp) * 1_000;
  if (parent === undefined || parent.timestampMs < startMs) return startMs;
  return Math.min(parent.timestampMs + BLOCK_MS, startMs + LAST_MS);
}

import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { parseBlock } from "@dueday/chain/block/parseBlock";
import { readHead } from "@dueday/chain/block/readHead";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { Logger } from "@dueday/config/createLogger";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { type Address, type Hex, numberToHex } from "viem";
import { createKnownBlocks, type KnownBlock } from "./knownBlocks";

export type WatchOptions = {
  client: ChainClient;
  contract: Address;
  logger: Logger;
  /** Blocks that the database speaks of: one of them may have been replaced while nobody watched. */
  readSeen(): Promise<readonly KnownBlock[]>;
  /** A new block that holds a log of the contract, begins a UTC day, or may do so. */
  onBlock(block: ChainBlock): Promise<void>;
  /** From this block number on the chain is another one than before. `onBlock` follows. */
  onReorg(fromBlock: bigint): Promise<void>;
};

/** One request a look while nothing happens, and two more for a new block: on no chain much above two a second. */
const POLL_MS = 1_000;
/** A node that is back is noticed within this time. */
const LONGEST_POLL_MS = 4_000;
const REMEMBERED_BLOCKS = 256;
/** A longer gap is taken to hold a log, rather than searched: the scan reads the state anyway. */
const LONGEST_SEARCH = 500n;

/** Follows the head of a chain until `stop()`. A node that fails is asked again, ever less often; it never ends the watch. */
export function watchHead(options: WatchOptions): { stop(): Promise<void> } {
  const { client, logger, onBlock, onReorg } = options;
  const known = createKnownBlocks(REMEMBERED_BLOCKS);
  let isSeenRead = false;
  const stopped = Promise.withResolvers<void>();
  let isStopped = false;
  /** The last head whose consequences were passed on; null at the start: the first one always matters. */
  let last: ChainBlock | null = null;
  /** A reorganisation that could not yet be passed on. */
  let changedFrom: bigint | null = null;

  async function look(): Promise<void> {
    if (!isSeenRead) for (const block of await options.readSeen()) known.add(block);
    isSeenRead = true;
    const head = await readHead(client);
    if (last?.hash === head.hash) return;
    changedFrom = lower(changedFrom, await known.rewind(head, (number) => hashAt(client, number)));
    if (changedFrom !== null) {
      logger.warn({ fromBlock: changedFrom.toString() }, "the chain was reorganised");
      await onReorg(changedFrom);
      changedFrom = null;
      last = null;
    }
    if (last !== null && head.number <= last.number) return;
    if (last === null || (await matters(options, last, head))) await onBlock(head);
    last = head;
    known.add(head);
  }

  async function watch(): Promise<void> {
    for (let failures = 0; !isStopped; ) {
      try {
        await look();
        failures = 0;
      } catch (error) {
        failures++;
        if (failures === 1) logger.warn({ err: error }, "the head of the chain can't be followed");
      }
      const pauseMs = Math.min(LONGEST_POLL_MS, POLL_MS * 2 ** Math.min(failures, 10));
      await Promise.race([Bun.sleep(pauseMs), stopped.promise]);
    }
  }

  const watching = watch();
  return {
    async stop() {
      isStopped = true;
      stopped.resolve();
      await watching;
    },
  };
}

/** Whether one of the blocks after `last` begins a UTC day or holds a log of the contract. */
async function matters({ client, contract }: WatchOptions, last: ChainBlock, head: ChainBlock): Promise<boolean> {
  if (dayNumber(head.timestamp) !== dayNumber(last.timestamp)) return true;
  const gap = head.number - last.number;
  if (gap > LONGEST_SEARCH) return true;
  // By hash where it can be: a node that lags answers a range beyond its head with an empty list.
  const range =
    gap === 1n
      ? { blockHash: head.hash }
      : { fromBlock: numberToHex(last.number + 1n), toBlock: numberToHex(head.number) };
  try {
    const logs = await client.rpc("eth_getLogs", [{ address: contract, ...range }]);
    return !Array.isArray(logs) || logs.length > 0;
  } catch (error) {
    throw asServiceError(error);
  }
}

function lower(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

async function hashAt(client: ChainClient, number: bigint): Promise<Hex | null> {
  try {
    const answer = await client.rpc("eth_getBlockByNumber", [numberToHex(number), false]);
    return answer === null ? null : parseBlock(answer).hash;
  } catch (error) {
    throw asServiceError(error);
  }
}

import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { parseBlock } from "@dueday/chain/block/parseBlock";
import { readHead } from "@dueday/chain/block/readHead";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { Logger } from "@dueday/config/createLogger";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { type Address, type Hex, numberToHex } from "viem";
import { createKnownBlocks, type KnownBlock } from "./createKnownBlocks";

export type FollowOptions = {
  client: ChainClient;
  contract: Address;
  logger: Logger;
  /** The blocks of the stored snapshots: one of them may have been replaced while no worker ran. */
  readSnapshotBlocks(): Promise<readonly KnownBlock[]>;
  /** Called for a new block that holds a log of the contract, begins a UTC day, or may do so. */
  onBlock(block: ChainBlock): Promise<void>;
  /** Called when the blocks from this number on were replaced. `onBlock` follows. */
  onReorg(fromBlock: bigint): Promise<void>;
};

/** One request a poll while nothing happens, and two more for a new block: on no chain much above two a second. */
const POLL_MS = 1_000;
/** A node that is back is noticed within this time. */
const LONGEST_POLL_MS = 4_000;
const REMEMBERED_BLOCKS = 256;
/** A longer gap is assumed to hold a log instead of being searched: the scan reads the state anyway. */
const LONGEST_SEARCH = 500n;

/** Follows the head of a chain until `stop()`. After a failure it polls less often, up to 4 s apart; no failure ends it. */
export function followHead(options: FollowOptions): { stop(): Promise<void> } {
  const { client, logger, onBlock, onReorg } = options;
  const known = createKnownBlocks(REMEMBERED_BLOCKS);
  let hasSnapshotBlocks = false;
  const stopped = Promise.withResolvers<void>();
  let isStopped = false;
  /** The last head that was handled; null at the start, so that `onBlock` is called for the first one. */
  let last: ChainBlock | null = null;
  /** A reorganisation that `onReorg` has not accepted yet. */
  let changedFrom: bigint | null = null;

  async function poll(): Promise<void> {
    if (!hasSnapshotBlocks) for (const block of await options.readSnapshotBlocks()) known.add(block);
    hasSnapshotBlocks = true;
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
    if (last === null || (await needsScan(options, last, head))) await onBlock(head);
    last = head;
    known.add(head);
  }

  async function follow(): Promise<void> {
    for (let failures = 0; !isStopped; ) {
      try {
        await poll();
        failures = 0;
      } catch (error) {
        failures++;
        if (failures === 1) logger.warn({ err: error }, "following the chain's head failed; retrying");
      }
      const pauseMs = Math.min(LONGEST_POLL_MS, POLL_MS * 2 ** Math.min(failures, 10));
      await Promise.race([Bun.sleep(pauseMs), stopped.promise]);
    }
  }

  const following = follow();
  return {
    async stop() {
      isStopped = true;
      stopped.resolve();
      await following;
    },
  };
}

/** Whether one of the blocks after `last` begins a UTC day or holds a log of the contract. */
async function needsScan({ client, contract }: FollowOptions, last: ChainBlock, head: ChainBlock): Promise<boolean> {
  if (dayNumber(head.timestamp) !== dayNumber(last.timestamp)) return true;
  const gap = head.number - last.number;
  if (gap > LONGEST_SEARCH) return true;
  // By hash where possible: a node that lags returns an empty list for a range beyond its head.
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

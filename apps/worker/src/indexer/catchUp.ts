import type { Rpc } from "@dueday/chain/client/createChainClient";
import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { ServiceError } from "@dueday/core/errors";
import type { BlockRange, IndexedBlock, IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { hexToNumber, isHex } from "viem";
import { createNarrowingFetch } from "../logs/createNarrowingFetch";
import { createRangeSize, type RangeSize } from "../logs/createRangeSize";
import { applyLogs } from "./applyLogs";
import { type Header, readHeader, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";
import { goneBlocks } from "./rewind";

/** Wider ranges are soon tried again: near the head, a range is usually refused because a node failed for a moment. */
const RETRY_AFTER = 4;
/** Far more than a node answers: until something fails, only the range that it accepts limits how many blocks are stored together. */
const MOST_BLOCKS = 100_000;

/** Logs of blocks that were read within this time after they were made may have been missing, in seconds. */
const LATE_SECONDS = 10;

/** The size of `IndexContext.newBlocks`, before anything is learned. */
export function createNewBlocksSize(): RangeSize {
  return createRangeSize({ first: MOST_BLOCKS, most: MOST_BLOCKS, retryAfter: RETRY_AFTER });
}

/**
 * Indexes the blocks after the checkpoint up to the head, which are not final yet, in ranges as wide as the node accepts. The last header of
 * a range is requested with its logs, so that a node that has not reached it fails instead of returning the logs of fewer blocks. Before a
 * range is stored, the blocks that were seen are compared with the chain again. Where facts that no log contains can't be read for all blocks of
 * a range, fewer are stored together, down to one.
 *
 * @returns `young`: the blocks of the first request for logs that contains a block that was just made, and all later ones, because a node may
 *   serve a block before its logs; null where there are none. "reorganised" when the checkpoint is not on the chain; "moved" when another
 *   worker moved it.
 * @throws ServiceError, retryable, when the chain changed while it was read
 */
export async function catchUp(
  context: IndexContext,
  { after, head, signal }: { after: IndexedBlock; head: Header; signal: AbortSignal },
): Promise<{ young: BlockRange | null } | "reorganised" | "moved"> {
  const { logsSize, newBlocks: size } = context;
  const end = toIndexedBlock(head);
  let checkpoint = after;
  let youngFrom: number | null = null;
  while (checkpoint.number < end.number && !signal.aborted) {
    const blocks = Math.min(size.current(), logsSize.current(), end.number - checkpoint.number);
    try {
      const stored = await indexRange(context, { after: checkpoint, to: checkpoint.number + blocks, head: end });
      if (typeof stored === "string") return stored;
      youngFrom ??= firstYoung(stored.blocks, { after: checkpoint, head: end });
      checkpoint = stored.checkpoint;
      size.accept(blocks, stored.logs.length);
    } catch (error) {
      if (!mayBeTooMany(error)) throw error;
      size.refuse(blocks);
      if (blocks === 1) throw error;
    }
  }
  return { young: youngFrom === null ? null : { from: youngFrom, to: checkpoint.number } };
}

/** Reads and stores the blocks up to `to`. */
async function indexRange(
  context: IndexContext,
  { after, to, head }: { after: IndexedBlock; to: number; head: IndexedBlock },
): Promise<{ checkpoint: IndexedBlock; blocks: IndexedBlock[]; logs: IndexedLog[] } | "reorganised" | "moved"> {
  const { logs, blocks, stateBlock } = await readLinked(context, { from: after.number + 1, to });
  const gone = new Set(await goneBlocks(context, [after, ...blocks, ...lastOfEach(blocks, logs)]));
  if (gone.has(after)) return "reorganised";
  if (gone.size > 0) throw changed(to);
  const checkpoint = toIndexedBlock(stateBlock);
  const fetched = { after, checkpoint, blocks, logs, stateBlock, rangeBlocks: context.logsSize.current() };
  const stored = await applyLogs(context, { ...fetched, headNumber: head.number, headTimestamp: head.timestamp });
  return stored ? { checkpoint, blocks, logs } : "moved";
}

/** The first block that was requested together with young ones; null if `blocks`, the last ones of the requests, are all old. */
function firstYoung(
  blocks: readonly IndexedBlock[],
  { after, head }: { after: IndexedBlock; head: IndexedBlock },
): number | null {
  const first = blocks.findIndex(({ timestamp }) => head.timestamp - timestamp <= LATE_SECONDS);
  return first === -1 ? null : (blocks[first - 1] ?? after).number + 1;
}

/**
 * Whether storing fewer blocks together may succeed: only if a node of this chain was reached and failed or refused, and the chain has not
 * changed. Fewer blocks also mean fewer calls for the facts that no log contains, which a node that limits calls may accept; narrower requests
 * for logs would only add calls.
 */
function mayBeTooMany(error: unknown): boolean {
  if (error instanceof RpcRefusal) return true;
  return error instanceof ServiceError && !NOT_THE_NUMBER.has(error.details.failure);
}

const NOT_THE_NUMBER = new Set<unknown>([undefined, "missing_block", "unreachable", "wrong_chain"]);

type LinkedLogs = { logs: IndexedLog[]; blocks: IndexedBlock[]; stateBlock: Header };

/** The logs of a range, with the last block of each request that was needed, and the header of the last. */
async function readLinked(context: IndexContext, { from, to }: { from: number; to: number }): Promise<LinkedLogs> {
  const headers = new Map<number, Header>();
  const { rpc } = context.chainData;
  const withEnd: Rpc = async (method, params) => {
    const number = method === "eth_getLogs" ? endOf(params) : null;
    if (number === null) return rpc(method, params);
    const [answer, header] = await Promise.all([rpc(method, params), readHeader(rpc, number)]);
    headers.set(number, header);
    return answer;
  };
  const source = { ...context, chainData: { ...context.chainData, rpc: withEnd } };
  const logs = await createNarrowingFetch(source, context.logsSize)(from, to);
  const stateBlock = headers.get(to);
  if (stateBlock === undefined) throw new Error("the last header was not read with the logs");
  const blocks = [...headers.values()].map(toIndexedBlock).toSorted((a, b) => a.number - b.number);
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
  const isOther = ({ blockNumber, blockHash }: IndexedLog) => (hashes.get(blockNumber) ?? blockHash) !== blockHash;
  if (logs.some(isOther)) throw changed(to);
  return { logs, blocks, stateBlock };
}

/** The blocks of the last logs of each request: a request may have been answered before the chain changed, and its header after that. */
function lastOfEach(
  blocks: readonly IndexedBlock[],
  logs: readonly IndexedLog[],
): Pick<IndexedBlock, "number" | "hash">[] {
  return blocks.flatMap(({ number }) => {
    const last = logs.findLast(({ blockNumber }) => blockNumber <= number);
    return last === undefined ? [] : [{ number: last.blockNumber, hash: last.blockHash }];
  });
}

/** The last block of a request for logs. */
function endOf(params: unknown): number | null {
  const [filter] = Array.isArray(params) ? params : [];
  return isRecord(filter) && isHex(filter.toBlock) ? hexToNumber(filter.toBlock) : null;
}

function changed(blockNumber: number): ServiceError {
  return new ServiceError("UPSTREAM_ERROR", "The chain changed while it was read; it is read again", {
    details: { blockNumber },
    retryable: true,
  });
}

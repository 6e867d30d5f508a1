import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { ServiceError } from "@dueday/core/errors";
import type { IndexedBlock, IndexedLog } from "@dueday/db/index/indexedLog";
import { applyLogs } from "./applyLogs";
import { mayBeTooWide } from "./createNarrowingFetch";
import { createRangeSize, type RangeSize } from "./createRangeSize";
import { fetchBlockLogs, fetchDenseBlock } from "./fetchLogs";
import { type Header, readHeaders, settleAll, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";

/** Blocks read and stored together while catching up to the head. */
const BLOCKS_AT_ONCE = 40;
/** Near the head a node that failed for some moments is the usual reason for fewer blocks. */
const RETRY_AFTER = 4;

/** The size of `IndexContext.newBlocks`, before anything is learned. */
export function createNewBlocksSize(): RangeSize {
  return createRangeSize({ first: BLOCKS_AT_ONCE, most: BLOCKS_AT_ONCE, retryAfter: RETRY_AFTER });
}

type Stretch = { after: IndexedBlock; head: Header; most: number };

/**
 * Indexes the blocks after the checkpoint, each by its hash and linked to the one before: near the head, a height may have
 * another block the next moment. Where several blocks can't be read together, fewer are, down to one.
 *
 * @returns "reorganised" when the first block does not follow the checkpoint; "moved" when another worker moved the checkpoint.
 */
export async function indexNewBlocks(
  context: IndexContext,
  { after, head, signal }: { after: IndexedBlock; head: Header; signal: AbortSignal },
): Promise<"done" | "reorganised" | "moved"> {
  const { newBlocks: size } = context;
  let checkpoint = after;
  while (checkpoint.number < Number(head.number) && !signal.aborted) {
    const blocks = Math.min(size.current(), Number(head.number) - checkpoint.number);
    try {
      const stored = await indexTogether(context, { after: checkpoint, head, most: blocks });
      if (typeof stored === "string") return stored;
      checkpoint = stored.checkpoint;
      size.accept(blocks, stored.logs.length);
    } catch (error) {
      if (!mayBeTooMany(error)) throw error;
      size.refuse(blocks);
      if (blocks === 1) throw error;
    }
  }
  return "done";
}

/** Reads and stores the next blocks, `most` of them. */
async function indexTogether(
  context: IndexContext,
  { after, head, most }: Stretch,
): Promise<{ checkpoint: IndexedBlock; logs: IndexedLog[] } | "done" | "reorganised" | "moved"> {
  const headers = await headersAfter(context, after.number, { head, most });
  if (headers[0]?.parentHash.toLowerCase() !== after.hash) return "reorganised";
  checkLinks(headers);
  const blocks = headers.map(toIndexedBlock);
  const [stateBlock, checkpoint] = [headers.at(-1), blocks.at(-1)];
  if (stateBlock === undefined || checkpoint === undefined) return "done";
  const logs = await fetchTogether(context, blocks);
  const headNumber = Number(head.number);
  const stored = await applyLogs(context, { after, checkpoint, blocks, logs, stateBlock, headNumber });
  return stored ? { checkpoint, logs } : "moved";
}

/** The logs of the blocks, requested in one tick. */
async function fetchTogether(context: IndexContext, blocks: readonly IndexedBlock[]): Promise<IndexedLog[]> {
  const [first] = blocks;
  if (blocks.length > 1 || first === undefined) {
    return (await settleAll(blocks.map((block) => fetchBlockLogs(context, block)))).flat();
  }
  try {
    return await fetchBlockLogs(context, first);
  } catch (error) {
    if (!mayBeTooMany(error) || !mayBeTooWide(error)) throw error;
    return fetchDenseBlock(context, first, error);
  }
}

/**
 * Whether fewer blocks may succeed. Undefined: the failure is not the node's, or the chain has changed. Unlike a narrower range, fewer
 * blocks are fewer calls too.
 */
function mayBeTooMany(error: unknown): boolean {
  if (error instanceof RpcRefusal) return true;
  return error instanceof ServiceError && !NOT_THE_NUMBER.has(error.details.failure);
}

const NOT_THE_NUMBER = new Set<unknown>([undefined, "missing_block", "unreachable", "wrong_chain"]);

/** The next headers, `most` at most. The head itself is known already. */
async function headersAfter(
  { chainData }: IndexContext,
  number: number,
  { head, most }: { head: Header; most: number },
): Promise<Header[]> {
  const last = Math.min(Number(head.number), number + most);
  const numbers = Array.from({ length: last - number }, (_, index) => number + 1 + index);
  if (last < Number(head.number)) return readHeaders(chainData.rpc, numbers);
  return [...(await readHeaders(chainData.rpc, numbers.slice(0, -1))), head];
}

function checkLinks(headers: readonly Header[]): void {
  for (const [index, header] of headers.entries()) {
    const before = headers[index - 1];
    if (before === undefined || before.hash === header.parentHash) continue;
    throw new ServiceError("UPSTREAM_ERROR", "The chain changed while it was read; it is read again", {
      details: { blockNumber: Number(header.number) },
      retryable: true,
    });
  }
}

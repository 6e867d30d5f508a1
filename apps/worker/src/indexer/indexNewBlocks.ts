import { ServiceError } from "@dueday/core/errors";
import type { IndexedBlock } from "@dueday/db/index/indexedLog";
import { applyLogs } from "./applyLogs";
import { mayBeTooWide } from "./createNarrowingFetch";
import { createRangeSize } from "./createRangeSize";
import { fetchBlockLogs, fetchDenseBlock } from "./fetchLogs";
import { type Header, readHeaders, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";

/** Blocks fetched and stored together while catching up to the head. */
const BLOCKS_AT_ONCE = 40;

/**
 * Indexes the blocks after the checkpoint one by one, each by its hash and linked to the one before: near the head, a height
 * may have another block the next moment. Where the logs of several blocks can't be fetched together, fewer are, down to one.
 *
 * @returns "reorganised" when the first block does not follow the checkpoint; "moved" when another worker moved the checkpoint.
 */
export async function indexNewBlocks(
  context: IndexContext,
  { after, head, signal }: { after: IndexedBlock; head: Header; signal: AbortSignal },
): Promise<"done" | "reorganised" | "moved"> {
  const size = createRangeSize({ first: BLOCKS_AT_ONCE, most: BLOCKS_AT_ONCE });
  let checkpoint = after;
  while (checkpoint.number < Number(head.number) && !signal.aborted) {
    const headers = await headersAfter(context, checkpoint.number, { head, most: size.current() });
    if (headers[0]?.parentHash.toLowerCase() !== checkpoint.hash) return "reorganised";
    checkLinks(headers);
    const blocks = headers.map(toIndexedBlock);
    const [lastHeader, last] = [headers.at(-1), blocks.at(-1)];
    if (lastHeader === undefined || last === undefined) return "done";
    const logs = await fetchTogether(context, blocks);
    if (logs === null) {
      size.refuse(blocks.length);
      continue;
    }
    size.accept(blocks.length, logs.length);
    const stored = await applyLogs(context, {
      ...{ after: checkpoint, checkpoint: last, blocks, logs },
      ...{ stateBlock: lastHeader, headNumber: Number(head.number) },
    });
    if (!stored) return "moved";
    checkpoint = last;
  }
  return "done";
}

/** The logs of the blocks, requested in one tick; null where fewer blocks may succeed. */
async function fetchTogether(context: IndexContext, blocks: readonly IndexedBlock[]) {
  try {
    return (await Promise.all(blocks.map((block) => fetchBlockLogs(context, block)))).flat();
  } catch (error) {
    const isMissing = error instanceof ServiceError && error.details.failure === "missing_block";
    if (isMissing || !mayBeTooWide(error)) throw error;
    const [only] = blocks;
    return blocks.length === 1 && only !== undefined ? fetchDenseBlock(context, only, error) : null;
  }
}

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

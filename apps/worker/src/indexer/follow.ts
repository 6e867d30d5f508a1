import { ServiceError } from "@dueday/core/errors";
import type { IndexedBlock } from "@dueday/db/index/indexedLog";
import { applyLogs } from "./applyLogs";
import { fetchBlockLogs } from "./fetchLogs";
import { type Header, readHeaders, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";

/** Blocks fetched and stored together while catching up to the head. */
const BLOCKS_AT_ONCE = 40;

/**
 * Indexes the blocks after the checkpoint one by one, each by its hash and on the one before: near the head, what stands at a
 * height may be another block the next moment.
 *
 * @returns "reorganised" when the first does not stand on the checkpoint; "moved" when another worker moved the checkpoint.
 */
export async function follow(
  context: IndexContext,
  { after, head, signal }: { after: IndexedBlock; head: Header; signal: AbortSignal },
): Promise<"done" | "reorganised" | "moved"> {
  let checkpoint = after;
  while (checkpoint.number < Number(head.number) && !signal.aborted) {
    const headers = await headersAfter(context, checkpoint.number, head);
    if (headers[0]?.parentHash.toLowerCase() !== checkpoint.hash) return "reorganised";
    checkLinks(headers);
    const blocks = headers.map(toIndexedBlock);
    const logs = await Promise.all(blocks.map((block) => fetchBlockLogs(context, block)));
    const [lastHeader, last] = [headers.at(-1), blocks.at(-1)];
    if (lastHeader === undefined || last === undefined) return "done";
    const stored = await applyLogs(context, {
      ...{ after: checkpoint, checkpoint: last, blocks, logs: logs.flat() },
      ...{ stateBlock: lastHeader, headNumber: Number(head.number) },
    });
    if (!stored) return "moved";
    checkpoint = last;
  }
  return "done";
}

/** The next headers. The head itself is known already. */
async function headersAfter({ chainData }: IndexContext, number: number, head: Header): Promise<Header[]> {
  const last = Math.min(Number(head.number), number + BLOCKS_AT_ONCE);
  const numbers = Array.from({ length: last - number }, (_, index) => number + 1 + index);
  if (last < Number(head.number)) return readHeaders(chainData.rpc, numbers);
  return [...(await readHeaders(chainData.rpc, numbers.slice(0, -1))), head];
}

function checkLinks(headers: readonly Header[]): void {
  for (const [index, header] of headers.entries()) {
    const before = headers[index - 1];
    if (before === undefined || before.hash === header.parentHash) continue;
    throw new ServiceError("UPSTREAM_ERROR", "The chain changed while it was read; it is read again.", {
      details: { blockNumber: Number(header.number) },
      retryable: true,
    });
  }
}

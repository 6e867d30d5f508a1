import { parseHeader } from "@dueday/chain/block/parseHeader";
import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { ServiceError } from "@dueday/core/errors";
import type { BlockRange, IndexedBlock, IndexedLog } from "@dueday/db/index/indexedLog";
import { type LogPosition, readLogPositions } from "@dueday/db/index/logPositions";
import { type Checkpoint, readCheckpoint, recordProof } from "@dueday/db/queries/readCheckpoint";
import { pruneIndexedBlocks, readIndexedBlocks } from "@dueday/db/queries/readIndexedBlocks";
import { type Repaired, repairLogs } from "@dueday/db/queries/repairLogs";
import { readTermsAndTokens } from "./applyLogs";
import { createNarrowingFetch } from "./createNarrowingFetch";
import { createRangeSize } from "./createRangeSize";
import { readHeader, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";
import { readEventFacts } from "./readEventFacts";
import { goneBlocks, rewind } from "./rewind";

/** Blocks that are kept even where finality comes sooner: the pages of a list may be pinned to them. */
const KEPT_BLOCKS = 5_000;
/** Up to this many blocks are compared with one request, even where only both ends of them are due. */
const ONE_REQUEST = 1_000;

/** What a check of recent logs found. */
export type Recheck = {
  repaired: Repaired | null;
  /** Every block up to here has been compared since it was safe. */
  safeBlock: number;
};

/**
 * Reads the logs of recent blocks again and repairs the index where they differ from what is stored: a node may have served a
 * block before its logs, or another node's. A block is compared with each check until it is safe, and a last time when it is final; what is
 * compared then is recorded as proven. The hashes of the safe and the final block are compared as well: the blocks between
 * are linked by their hashes. Rewinds where a block was replaced, and deletes the hashes of old blocks.
 *
 * @param safeBefore `safeBlock` of the check before; 0 at the start.
 */
export async function recheckLogs(context: IndexContext, safeBefore = 0): Promise<Recheck> {
  const { chain, database } = context;
  const checkpoint = await readCheckpoint(database, chain);
  if (checkpoint === null) return { repaired: null, safeBlock: safeBefore };
  const byDepth = checkpoint.headNumber - chain.finalityBlocks;
  const [finalBlock, safeBlock] = await Promise.all([readTag(context, "finalized"), readTag(context, "safe")]);
  const finalTo = Math.min(checkpoint.number, finalBlock?.number ?? byDepth);
  const safeTo = Math.min(checkpoint.number, safeBlock?.number ?? finalTo);
  const ends = [finalBlock, safeBlock].filter((block) => block !== null);
  if (await wasReplaced(context, checkpoint, ends)) {
    await rewind(context, checkpoint.number);
    return { repaired: null, safeBlock: 0 };
  }
  const provenBefore = checkpoint.provenNumber ?? Number(chain.startBlock ?? 0n) - 1;
  const ranges = rangesOf({ provenBefore, finalTo, safeBefore, to: checkpoint.number });
  let repaired: Repaired | null = null;
  for (const range of ranges) {
    const found = await compareLogs(context, checkpoint, range);
    if (found === "moved") return { repaired, safeBlock: 0 };
    repaired =
      repaired === null
        ? found
        : { added: [...repaired.added, ...found.added], removed: [...repaired.removed, ...found.removed] };
  }
  if (finalTo > provenBefore) await recordProof(database, chain, finalTo);
  await pruneIndexedBlocks(database, chain, checkpoint.number - Math.max(chain.finalityBlocks * 2, KEPT_BLOCKS));
  return { repaired, safeBlock: safeTo };
}

/** The ranges to compare: blocks that became final, and blocks that were not compared since they are safe. */
function rangesOf({
  provenBefore,
  finalTo,
  safeBefore,
  to,
}: Record<"provenBefore" | "finalTo" | "safeBefore" | "to", number>) {
  const recentFrom = Math.max(provenBefore, finalTo, safeBefore) + 1;
  if (to - provenBefore <= ONE_REQUEST || recentFrom <= finalTo + 1) return nonEmpty([{ from: provenBefore + 1, to }]);
  return nonEmpty([
    { from: provenBefore + 1, to: finalTo },
    { from: recentFrom, to },
  ]);
}

function nonEmpty(ranges: readonly BlockRange[]): BlockRange[] {
  return ranges.filter(({ from, to }) => from <= to);
}

/**
 * Compares the stored logs of a range with those of the chain, and repairs what differs.
 *
 * @returns "moved" where a block of the range was replaced; the index is then rewound.
 */
export async function compareLogs(
  context: IndexContext,
  checkpoint: Pick<IndexedBlock, "number" | "hash">,
  { from, to }: BlockRange,
): Promise<Repaired | "moved"> {
  const { chain, database, logger } = context;
  const size = createRangeSize({ first: to - from + 1 });
  const logs = await createNarrowingFetch(context, size)(from, to);
  const stored = await readLogPositions(database, chain, { from, to });
  if (await areOfOtherBlocks(context, logs, { from, to })) {
    await rewind(context, checkpoint.number);
    return "moved";
  }
  if (isSame(logs, stored)) return { added: [], removed: [] };
  const stateBlock = await readHeader(context.chainData.rpc, checkpoint.number);
  const [known, onChain] = [new Set(stored.map(nameOf)), new Set(logs.map(nameOf))];
  const differing = new Set(
    [...logs.filter((log) => !known.has(nameOf(log))), ...stored.filter((each) => !onChain.has(nameOf(each)))].map(
      ({ blockNumber }) => blockNumber,
    ),
  );
  // Events are those of whole blocks.
  const ofBlocks = logs.filter(({ blockNumber }) => differing.has(blockNumber));
  const repaired = await repairLogs(database, chain, {
    ...{ range: { from, to }, checkpoint, logs },
    ...(await readTermsAndTokens(context, ofBlocks, stateBlock)),
    events: await readEventFacts(context, { logs: ofBlocks, stateBlock, headNumber: checkpoint.number }),
  });
  if (repaired === null) return "moved";
  const { added, removed } = repaired;
  if (added.length + removed.length > 0) {
    context.onRepair?.(repaired);
    logger.warn(
      { from, to, added: added.length, removed: removed.length },
      "the index differed from the chain and was repaired: the node had returned incomplete logs",
    );
  }
  return repaired;
}

/** UList has no table: its logs are not among the stored ones. */
function isSame(logs: readonly IndexedLog[], stored: readonly LogPosition[]): boolean {
  const onChain = logs.filter(({ event }) => event.event !== "UList").map(nameOf);
  const known = new Set(stored.map(nameOf));
  return onChain.length === known.size && onChain.every((name) => known.has(name));
}

function nameOf({ blockNumber, logIndex, blockHash }: LogPosition): string {
  return `${blockNumber} ${logIndex} ${blockHash}`;
}

/** Whether a log is of another block than the index has at its height, and the chain has that block too. */
async function areOfOtherBlocks(
  context: IndexContext,
  logs: readonly IndexedLog[],
  { from, to }: BlockRange,
): Promise<boolean> {
  if (logs.length === 0) return false;
  const known = await readIndexedBlocks(context.database, context.chain, { from, to, limit: to - from + 1 });
  const hashes = new Map(known.map((block) => [block.number, block]));
  const others = new Set(
    logs.flatMap(({ blockNumber, blockHash }) => {
      const block = hashes.get(blockNumber);
      return block === undefined || block.hash === blockHash ? [] : [block];
    }),
  );
  return others.size > 0 && (await goneBlocks(context, [...others])).length > 0;
}

/** Whether the index has another block at the height of one of these. */
async function wasReplaced(
  { chain, database }: IndexContext,
  checkpoint: Checkpoint,
  blocks: readonly IndexedBlock[],
): Promise<boolean> {
  for (const block of blocks.filter(({ number }) => number <= checkpoint.number)) {
    const [known] = await readIndexedBlocks(database, chain, { from: block.number, to: block.number, limit: 1 });
    if (known !== undefined && known.hash !== block.hash) return true;
  }
  return false;
}

/** Null where the node does not know the tag. */
async function readTag({ chainData }: IndexContext, tag: "safe" | "finalized"): Promise<IndexedBlock | null> {
  try {
    const answer = await chainData.rpc("eth_getBlockByNumber", [tag, false]);
    return isRecord(answer) ? toIndexedBlock(parseHeader(answer)) : null;
  } catch (error) {
    if (error instanceof RpcRefusal) return null;
    // Some nodes answer null, and the client takes that for a block that is not there yet.
    if (error instanceof ServiceError && error.details.failure === "missing_block") return null;
    throw error;
  }
}

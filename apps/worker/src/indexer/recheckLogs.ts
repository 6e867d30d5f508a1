import { upstreamError } from "@dueday/chain/client/upstreamError";
import type { BlockRange, IndexedBlock, IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { type LogPosition, readLogPositions } from "@dueday/db/eventIndex/logPositions";
import { type ProofRecord, readCheckpoint, recordProof } from "@dueday/db/indexing/readCheckpoint";
import { readIndexedBlocks } from "@dueday/db/indexing/readIndexedBlocks";
import { type Repaired, repairLogs } from "@dueday/db/indexing/repairLogs";
import { readPlanHeights, retractPlansOfOthers } from "@dueday/db/snapshots/replacedPlans";
import { createNarrowingFetch } from "../logs/createNarrowingFetch";
import { readTermsAndTokens } from "./applyLogs";
import { readHeader, readHeaders, settleAll, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";
import { readEventFacts } from "./readEventFacts";
import { goneBlocks, rewind } from "./rewind";

/** A range is compared more than once only if it costs at most this many requests for logs. */
const CHEAP_REQUESTS = 3;
/** No updates are stored while a check runs: what it has not compared after this time is left to the next check. */
const LONGEST_CHECK_MS = 3_000;
/** Requests for logs at a time. */
const REQUESTS_AT_ONCE = 8;

/** What a check of recent logs found. */
export type Recheck = {
  repaired: Repaired | null;
  /** Every block up to here has been compared since it was safe. */
  safeBlock: number;
};

export type RecheckOptions = {
  /** `safeBlock` of the previous check. Default 0, as at the start. */
  safeBefore?: number;
  /** Blocks that are compared in any case: their logs may have been missing when a catch-up read them. */
  unsure?: BlockRange | null;
  /** Stores the proof, and what belongs to it. Default: stores the proof alone. */
  store?: (proof: ProofRecord) => Promise<void>;
};

/**
 * Reads the logs of recent blocks again and repairs the index where they differ from what is stored: a node may have served a
 * block before its logs, or the logs of another block. Every block is compared once when it is safe. Where a few
 * requests are enough, it is also compared by each check before that, and a last time when it is final. The checkpoint
 * is looked up first: while it is on the chain, so is every block below, and final blocks that were compared since they
 * were safe are recorded as proven. If it is not, the index is rewound.
 */
export async function recheckLogs(
  context: IndexContext,
  { safeBefore = 0, unsure = null, store }: RecheckOptions = {},
): Promise<Recheck> {
  const { chain, database, finality: reader, logsSize } = context;
  const checkpoint = await readCheckpoint(database, chain);
  if (checkpoint === null) return { repaired: null, safeBlock: safeBefore };
  const finality = await reader.read(checkpoint, checkpoint.finality);
  if ((await goneBlocks(context, [checkpoint])).length > 0) {
    await rewind(context, checkpoint.number);
    return { repaired: null, safeBlock: 0 };
  }
  const finalTo = Math.min(checkpoint.number, finality.finalNumber);
  const safeTo = Math.min(checkpoint.number, finality.safeNumber);
  const provenBefore = Math.min(finalTo, checkpoint.provenNumber ?? Number(chain.startBlock ?? 0n) - 1);
  const isCheap = ({ from, to }: BlockRange) => to - from < CHEAP_REQUESTS * logsSize.current();
  const all = { from: provenBefore + 1, to: checkpoint.number };
  const due = { from: Math.max(provenBefore, safeBefore) + 1, to: safeTo };
  const young = { from: Math.max(due.from, safeTo + 1), to: checkpoint.number };
  const final = { from: provenBefore + 1, to: Math.min(finalTo, due.from - 1) };
  const inYoung = unsure && { from: Math.max(young.from, unsure.from), to: Math.min(young.to, unsure.to) };
  const parts = [due, isCheap(final) ? final : null, isCheap(young) ? young : inYoung];
  const ranges = all.to - all.from < logsSize.current() ? [all] : parts.filter((part) => part !== null);
  const found = await compareAll(context, ranges);
  if (found === "moved") return { repaired: null, safeBlock: 0 };
  const safeBlock = Math.max(safeBefore, Math.min(safeTo, found.comparedTo));
  const provenNumber = Math.max(provenBefore, Math.min(finalTo, safeBlock));
  await comparePlans(context, due);
  const proof = { seen: checkpoint, finality, provenNumber };
  await (store === undefined ? recordProof(database, chain, proof) : store(proof));
  return { repaired: found.repaired, safeBlock };
}

/**
 * Retracts what remit plans and forecasts have written at blocks that the chain has replaced. The headers are read from
 * the node, because for most blocks the index has no hash that would show the replacement.
 */
async function comparePlans({ chain, database, chainData, clock }: IndexContext, range: BlockRange): Promise<void> {
  const heights = await readPlanHeights(database, chain, range);
  if (heights.length === 0) return;
  const blocks = (await readHeaders(chainData.rpc, heights)).map(toIndexedBlock);
  await retractPlansOfOthers(database, chain, blocks, new Date(clock()));
}

/**
 * Compares the ranges in parts of up to `REQUESTS_AT_ONCE` requests each. `comparedTo` is the last block before the
 * first that was left out because the time was up; infinity where none was.
 */
async function compareAll(
  context: IndexContext,
  ranges: readonly BlockRange[],
): Promise<{ repaired: Repaired; comparedTo: number } | "moved"> {
  const repaired: Repaired = { added: [], removed: [] };
  const until = performance.now() + LONGEST_CHECK_MS;
  let comparedTo = Number.POSITIVE_INFINITY;
  for (const { from, to } of ranges) {
    for (let start = from; start <= to; ) {
      if (performance.now() > until) {
        comparedTo = Math.min(comparedTo, start - 1);
        break;
      }
      const end = Math.min(to, start + REQUESTS_AT_ONCE * context.logsSize.current() - 1);
      const found = await compareLogs(context, { from: start, to: end });
      if (found === "moved") return "moved";
      repaired.added.push(...found.added);
      repaired.removed.push(...found.removed);
      start = end + 1;
    }
  }
  return { repaired, comparedTo };
}

/**
 * Compares the stored logs of a range, which has to be indexed, with those of the chain, and repairs what differs.
 *
 * @returns "moved" where a block was replaced, and the index is rewound, or where the checkpoint is below the end of the range or has moved
 *   back meanwhile
 * @throws ServiceError where the node returns logs of blocks that it does not have
 */
export async function compareLogs(context: IndexContext, range: BlockRange): Promise<Repaired | "moved"> {
  const { chain, database, logger, finality } = context;
  const checkpoint = await readCheckpoint(database, chain);
  if (checkpoint === null || checkpoint.number < range.to) return "moved";
  const logs = await readInParts(context, range);
  const stored = await readLogPositions(database, chain, range);
  const [known, onChain] = [new Set(stored.map(nameOf)), new Set(logs.filter(isStored).map(nameOf))];
  const missing = logs.filter((log) => isStored(log) && !known.has(nameOf(log)));
  const wrong = stored.filter((position) => !onChain.has(nameOf(position)));
  if (missing.length + wrong.length === 0) return { added: [], removed: [] };
  const differing = new Set([...missing, ...wrong].map(({ blockNumber }) => blockNumber));
  if (await wereReplaced(context, checkpoint, differing)) {
    await rewind(context, checkpoint.number);
    return "moved";
  }
  if ((await goneBlocks(context, missing.map(blockOf))).length > 0) {
    throw upstreamError({ kind: "missing_block" }, "eth_getLogs");
  }
  const stateBlock = await readHeader(context.chainData.rpc, checkpoint.number);
  // Events are written for whole blocks.
  const ofBlocks = logs.filter(({ blockNumber }) => differing.has(blockNumber));
  const repaired = await repairLogs(database, chain, {
    range,
    seen: checkpoint,
    logs,
    ...(await readTermsAndTokens(context, ofBlocks, stateBlock)),
    events: await readEventFacts(context, { logs: ofBlocks, stateBlock, finality: finality.known() }),
  });
  if (repaired === null) return "moved";
  const { added, removed } = repaired;
  if (added.length + removed.length > 0) {
    context.onRepair?.(repaired);
    logger.warn(
      { ...range, added: added.length, removed: removed.length },
      "the index differed from the chain and was repaired: the node had returned incomplete logs",
    );
  }
  return repaired;
}

/** The logs of a range, requested side by side where the node does not accept it at once. */
async function readInParts(context: IndexContext, { from, to }: BlockRange): Promise<IndexedLog[]> {
  const { logsSize } = context;
  const fetchNarrowing = createNarrowingFetch(context, logsSize);
  const width = Math.max(logsSize.current(), Math.ceil((to - from + 1) / REQUESTS_AT_ONCE));
  const parts: Promise<IndexedLog[]>[] = [];
  for (let start = from; start <= to; start += width) {
    parts.push(fetchNarrowing(start, Math.min(to, start + width - 1)));
  }
  return (await settleAll(parts)).flat();
}

/** Whether the chain has replaced the checkpoint, or a block at one of these heights. Else logs differ because a node was wrong. */
async function wereReplaced(
  context: IndexContext,
  checkpoint: Pick<IndexedBlock, "number" | "hash">,
  heights: ReadonlySet<number>,
): Promise<boolean> {
  const [from, to] = [Math.min(...heights), Math.max(...heights)];
  const known = await readIndexedBlocks(context.database, context.chain, { from, to, limit: to - from + 1 });
  const blocks = [checkpoint, ...known.filter(({ number }) => heights.has(number))];
  return (await goneBlocks(context, blocks)).length > 0;
}

/** UList has no table: its logs are not among the stored ones. */
function isStored({ event }: IndexedLog): boolean {
  return event.event !== "UList";
}

function blockOf({ blockNumber, blockHash }: LogPosition): Pick<IndexedBlock, "number" | "hash"> {
  return { number: blockNumber, hash: blockHash };
}

function nameOf({ blockNumber, logIndex, blockHash }: LogPosition): string {
  return `${blockNumber} ${logIndex} ${blockHash}`;
}

import { parseHeader } from "@dueday/chain/block/parseHeader";
import type { Rpc } from "@dueday/chain/client/createChainClient";
import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { ServiceError } from "@dueday/core/errors";
import type { IndexedBlock } from "@dueday/db/eventIndex/indexedLog";
import type { StoredFinality } from "@dueday/db/indexing/readCheckpoint";
import { readHeader, toIndexedBlock } from "./headers";

/** Finds out which blocks of a chain are safe and final. */
export type FinalityReader = {
  /**
   * The newest safe and final blocks, read at most `everyMs` ago; where the node fails, those of the last read that succeeded. A final block
   * below the known one is ignored while the known one is still on the chain: it comes from a node that lags.
   *
   * @param head a block close to the head, from which ages are counted where the node does not know the tags
   * @param stored what was known before this process began
   * @throws ServiceError where the node fails and nothing was known before
   */
  read(head: Pick<IndexedBlock, "number" | "timestamp">, stored: StoredFinality | null): Promise<StoredFinality>;
  /** What the last `read` returned; null before it. */
  known(): StoredFinality | null;
  /** Forgets what is known, so that the next `read` asks the node: blocks were replaced. */
  forget(): void;
};

export type FinalityReaderOptions = {
  rpc: Rpc;
  /** Age at which a block is final where the node does not know the tag. */
  finalitySeconds: number;
  /** Unix milliseconds. */
  clock: () => number;
  /** Once something is known, the node is asked at most once in this time. Default 30 s. */
  everyMs?: number;
};

/** Each read costs two requests; where the node does not know the tags, those of a search by time as well. */
const EVERY_MS = 30_000;
/** The most steps of a search by time. Steps that do not guess from the chain's pace halve what is left. */
const MOST_STEPS = 64;
/** Steps that guess. On a chain with a steady pace two are enough. */
const GUESSES = 6;

export function createFinalityReader(options: FinalityReaderOptions): FinalityReader {
  const { rpc, finalitySeconds, clock, everyMs = EVERY_MS } = options;
  let last: StoredFinality | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;

  async function ask(
    head: Pick<IndexedBlock, "number" | "timestamp">,
    known: StoredFinality | null,
  ): Promise<StoredFinality> {
    const [finalTag, safeTag] = await Promise.all([readTag(rpc, "finalized"), readTag(rpc, "safe")]);
    const found = finalTag ?? (await lastOfAge(rpc, { head, finalitySeconds }));
    const isBehind = known !== null && found.number < known.finalNumber && (await isOnChain(rpc, known));
    const final = isBehind ? { number: known.finalNumber, hash: known.finalHash } : found;
    const safe = isBehind ? Math.max(known.safeNumber, safeTag?.number ?? 0) : (safeTag?.number ?? 0);
    return {
      safeNumber: Math.max(final.number, safe),
      finalNumber: final.number,
      finalHash: final.hash,
      by: finalTag === null ? "time" : "tag",
      readAt: new Date(clock()),
    };
  }

  return {
    async read(head, stored) {
      const now = performance.now();
      if (last !== null && now - askedAt < everyMs) return last;
      last ??= stored;
      // Once something is known, a node that fails is not asked more often.
      askedAt = now;
      try {
        last = await ask(head, last);
      } catch (error) {
        // If the node fails, what was final stays final.
        if (last === null) throw error;
      }
      return last;
    },
    known: () => last,
    forget() {
      last = null;
    },
  };
}

async function isOnChain(rpc: Rpc, { finalNumber, finalHash }: StoredFinality): Promise<boolean> {
  return toIndexedBlock(await readHeader(rpc, finalNumber)).hash === finalHash;
}

/**
 * The last block that is at least `finalitySeconds` older than the head, the last of several with that timestamp; the first block if the
 * chain is younger.
 */
async function lastOfAge(
  rpc: Rpc,
  { head, finalitySeconds }: { head: Pick<IndexedBlock, "number" | "timestamp">; finalitySeconds: number },
): Promise<IndexedBlock> {
  const newest = head.timestamp - finalitySeconds;
  if (head.timestamp <= newest) return toIndexedBlock(await readHeader(rpc, head.number));
  let old = toIndexedBlock(await readHeader(rpc, 0));
  let young = head;
  /** Blocks in a second, between the newest blocks that were read. */
  let pace = 1;
  for (let step = 0; young.number - old.number > 1 && step < MOST_STEPS; step++) {
    const guess = Math.round(young.number - pace * (young.timestamp - newest));
    // If the last guess was right, it is `old` now, and the wanted block is in the same second.
    const next = guess > old.number ? guess : old.number + Math.ceil(pace);
    const middle = Math.floor((old.number + young.number) / 2);
    const number = step < GUESSES && next < young.number ? next : middle;
    const found = toIndexedBlock(await readHeader(rpc, number));
    const seconds = young.timestamp - found.timestamp;
    if (seconds > 0) pace = (young.number - found.number) / seconds;
    if (found.timestamp <= newest) old = found;
    else young = found;
  }
  return old;
}

/** Null where the node does not know the tag. */
async function readTag(rpc: Rpc, tag: "safe" | "finalized"): Promise<IndexedBlock | null> {
  try {
    const answer = await rpc("eth_getBlockByNumber", [tag, false]);
    return isRecord(answer) ? toIndexedBlock(parseHeader(answer)) : null;
  } catch (error) {
    if (error instanceof RpcRefusal) return null;
    // Some nodes answer null, and the client takes that for a block that is not there yet.
    if (error instanceof ServiceError && error.details.failure === "missing_block") return null;
    throw error;
  }
}

import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { Count, described, Instant, IntegerString, Nullable, oneOf } from "@dueday/core/schema";
import type { Database } from "@dueday/db/connectDatabase";
import type { IndexScope } from "@dueday/db/eventIndex/coveredHead";
import type { BlockRange } from "@dueday/db/eventIndex/indexedLog";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { readUnprovenRanges } from "@dueday/db/indexing/unprovenRanges";
import { type Static, Type } from "@sinclair/typebox";
import type { AgeLimit } from "../health/isOutdated";
import { isIndexStale } from "./isIndexStale";

/** Unproven stretches that an answer shows: a chain that was followed without its logs for long has many. */
const SHOWN_STRETCHES = 20;

/** How far a chain's event index is, for /status. */
export const IndexProgress = Type.Object({
  indexedBlock: IntegerString,
  behindBlocks: described(Count, "Blocks between indexedBlock and the newest head that the worker or this process saw"),
  behindSeconds: Nullable(described(Count, "The same by the times of the blocks; null before a head was seen")),
  provenBlock: Nullable({
    ...IntegerString,
    description:
      "Up to this block, the events were read from final blocks, or compared with them; later blocks are compared again when they are safe, and also before that where it takes few requests",
  }),
  finality: Nullable(
    Type.Object({
      by: oneOf(
        ["tag", "time"],
        "tag: the node marks safe and final blocks; time: it does not know the tags, and age decides",
      ),
      safeBlock: IntegerString,
      finalizedBlock: IntegerString,
    }),
  ),
  unproven: Type.Object(
    {
      blocks: described(Count, "Blocks in all unproven stretches, also in those that are not listed"),
      stretches: Type.Array(
        Type.Object({
          fromBlock: { ...IntegerString, description: "The first of them" },
          toBlock: { ...IntegerString, description: "The last of them" },
        }),
        {
          maxItems: SHOWN_STRETCHES,
          description: `The first ${SHOWN_STRETCHES}, both blocks included`,
        },
      ),
    },
    { description: "Blocks whose events were not read, so that events may be missing there" },
  ),
  percent: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: "Of the blocks from the first that can have an event to the head",
  }),
  blocksPerSecond: Nullable(Type.Number({ minimum: 0, maximum: 1e15, description: "While it catches up, else null" })),
  secondsLeft: Nullable(Count),
  confirmedAt: Instant,
});
export type IndexProgress = Static<typeof IndexProgress>;

/** How long a health check waits for the database, milliseconds. */
const PATIENCE_MS = 500;

/**
 * The progress of an index, and the reason why answers from it are stale or refused. Both are missing while the database does
 * not answer: its own check reports that.
 */
export async function readIndexProgress(
  database: Database,
  scope: IndexScope,
  limits: AgeLimit & { startBlock: bigint | null; head: Pick<ChainBlock, "number" | "timestamp"> | null },
): Promise<{ progress?: IndexProgress; reason?: string; confirmedAt?: number }> {
  const read = Promise.all([readCheckpoint(database, scope), readUnprovenRanges(database, scope)]).catch(
    () => undefined,
  );
  const found = await Promise.race([read, Bun.sleep(PATIENCE_MS).then(() => undefined)]);
  if (found === undefined) return {};
  const [checkpoint, unread] = found;
  if (checkpoint === null) return { reason: "no events are indexed yet" };
  const { blocksPerSecond, provenNumber, failure, finality } = checkpoint;
  const announced = scope.covered?.();
  const covered = announced?.checkpoint === checkpoint.hash ? announced : null;
  const { number, timestamp } = covered?.head ?? checkpoint;
  const confirmedAt = covered?.confirmedAt ?? checkpoint.confirmedAt;
  // A worker that has stopped sees no new head, but this process does.
  const headNumber = Math.max(checkpoint.headNumber, Number(limits.head?.number ?? 0n));
  const headTimestamp = Math.max(checkpoint.headTimestamp ?? 0, Number(limits.head?.timestamp ?? 0n));
  const behindSeconds = Math.max(0, headTimestamp - timestamp);
  const behindBlocks = Math.max(0, headNumber - number);
  const progress: IndexProgress = {
    indexedBlock: String(number),
    behindBlocks,
    behindSeconds: headTimestamp === 0 ? null : behindSeconds,
    provenBlock: provenNumber === null || finality === null ? null : String(provenNumber),
    finality: finality && {
      by: finality.by,
      safeBlock: String(finality.safeNumber),
      finalizedBlock: String(finality.finalNumber),
    },
    unproven: presentUnproven(unread),
    percent: percentOf({ number, headNumber, startBlock: limits.startBlock }),
    blocksPerSecond,
    secondsLeft: blocksPerSecond === null || blocksPerSecond <= 0 ? null : Math.ceil(behindBlocks / blocksPerSecond),
    confirmedAt: confirmedAt.toISOString(),
  };
  const reason = failure ?? reasonForLag(behindSeconds, confirmedAt, limits);
  return { progress, confirmedAt: confirmedAt.getTime(), ...(reason === undefined ? {} : { reason }) };
}

function presentUnproven(ranges: readonly BlockRange[]): IndexProgress["unproven"] {
  return {
    blocks: ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0),
    stretches: ranges
      .slice(0, SHOWN_STRETCHES)
      .map(({ from, to }) => ({ fromBlock: String(from), toBlock: String(to) })),
  };
}

function percentOf({
  number,
  headNumber,
  startBlock,
}: {
  number: number;
  headNumber: number;
  startBlock: bigint | null;
}): number {
  const first = Number(startBlock ?? 0n);
  if (number >= headNumber) return 100;
  return Math.max(0, Math.floor((100 * (number - first)) / Math.max(1, headNumber - first)));
}

function reasonForLag(behindSeconds: number, confirmedAt: Date, limit: AgeLimit): string | undefined {
  if (!isIndexStale({ behindSeconds, confirmedAt }, limit)) return undefined;
  if (behindSeconds * 1_000 > limit.staleAfterMs) return `the event index is ${behindSeconds} seconds behind the chain`;
  if (confirmedAt.getTime() > limit.now) return "the event index was confirmed in the future";
  return "the event index was not confirmed within STALE_AFTER_MS";
}

import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { Count, Instant, IntegerString, Nullable } from "@dueday/core/schema";
import type { Database } from "@dueday/db/connectDatabase";
import type { IndexScope } from "@dueday/db/index/coveredHead";
import { readCheckpoint } from "@dueday/db/queries/readCheckpoint";
import { type Static, Type } from "@sinclair/typebox";
import type { AgeLimit } from "../isOutdated";
import { isIndexStale } from "./isIndexStale";

/** How far a chain's event index is, for /status. */
export const IndexProgress = Type.Object({
  indexedBlock: IntegerString,
  behindBlocks: Type.Integer({
    minimum: 0,
    description: "Blocks between indexedBlock and the newest head that the worker or this process saw",
  }),
  behindSeconds: Nullable(
    Type.Integer({
      minimum: 0,
      description: "The same by the times of the blocks; null before this process saw a head",
    }),
  ),
  provenBlock: Nullable({
    ...IntegerString,
    description:
      "Up to this block, the events were read from final blocks, or compared with them; later ones are compared again each minute",
  }),
  percent: Type.Integer({ minimum: 0, maximum: 100, description: "Of the blocks from the chain's first to the head" }),
  blocksPerSecond: Nullable(Type.Number({ description: "While it catches up, else null" })),
  secondsLeft: Nullable(Count),
  confirmedAt: Instant,
});
export type IndexProgress = Static<typeof IndexProgress>;

/** A health check must not wait for a database that hangs. Milliseconds. */
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
  const read = readCheckpoint(database, scope).catch(() => undefined);
  const checkpoint = await Promise.race([read, Bun.sleep(PATIENCE_MS).then(() => undefined)]);
  if (checkpoint === undefined) return {};
  if (checkpoint === null) return { reason: "no events are indexed yet" };
  const { blocksPerSecond, provenNumber, failure, finality } = checkpoint;
  const announced = scope.covered?.();
  const covered = announced?.checkpoint === checkpoint.hash ? announced : null;
  const { number, timestamp } = covered?.head ?? checkpoint;
  const confirmedAt = covered?.confirmedAt ?? checkpoint.confirmedAt;
  // A worker that has stopped sees no head: this process does.
  const headNumber = Math.max(checkpoint.headNumber, Number(limits.head?.number ?? 0n));
  const behindBlocks = Math.max(0, headNumber - number);
  const progress: IndexProgress = {
    indexedBlock: String(number),
    behindBlocks,
    behindSeconds: limits.head === null ? null : Math.max(0, Number(limits.head.timestamp) - timestamp),
    provenBlock: provenNumber === null || finality === null ? null : String(provenNumber),
    percent: percentOf({ number, headNumber, startBlock: limits.startBlock }),
    blocksPerSecond,
    secondsLeft: blocksPerSecond === null || blocksPerSecond <= 0 ? null : Math.ceil(behindBlocks / blocksPerSecond),
    confirmedAt: confirmedAt.toISOString(),
  };
  const headTimestamp = Math.max(checkpoint.headTimestamp ?? timestamp, Number(limits.head?.timestamp ?? 0n));
  const reason = failure ?? reasonForLag(Math.max(0, headTimestamp - timestamp), confirmedAt, limits);
  return { progress, confirmedAt: confirmedAt.getTime(), ...(reason === undefined ? {} : { reason }) };
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
  if (confirmedAt.getTime() > limit.now) {
    return "the event index was confirmed in the future";
  }
  return "the event index was not confirmed within STALE_AFTER_MS";
}

import { Count, Instant, IntegerString, Nullable } from "@dueday/core/schema";
import type { Database } from "@dueday/db/connectDatabase";
import { readCheckpoint } from "@dueday/db/queries/readCheckpoint";
import type { ContractScope } from "@dueday/db/schema/columns";
import { type Static, Type } from "@sinclair/typebox";

/** How far a chain's event index is, for /status. */
export const IndexProgress = Type.Object({
  indexedBlock: IntegerString,
  behindBlocks: Type.Integer({
    minimum: 0,
    description: "Blocks between indexedBlock and the newest head that the worker saw",
  }),
  blocksPerSecond: Nullable(Type.Number({ description: "While it catches up, else null" })),
  secondsLeft: Nullable(Count),
  confirmedAt: Instant,
});
export type IndexProgress = Static<typeof IndexProgress>;

/** A health check must not wait for a database that hangs. Milliseconds. */
const PATIENCE_MS = 500;

/** The progress of an index; null where nothing is indexed, or the database does not answer in time. */
export async function readIndexProgress(database: Database, scope: ContractScope): Promise<IndexProgress | null> {
  // The check of the database itself reports its failures.
  const read = readCheckpoint(database, scope).catch(() => null);
  const checkpoint = await Promise.race([read, Bun.sleep(PATIENCE_MS).then(() => null)]);
  if (checkpoint === null) return null;
  const { number, headNumber, blocksPerSecond, confirmedAt } = checkpoint;
  const behindBlocks = Math.max(0, headNumber - number);
  return {
    indexedBlock: String(number),
    behindBlocks,
    blocksPerSecond,
    secondsLeft: blocksPerSecond === null || blocksPerSecond <= 0 ? null : Math.ceil(behindBlocks / blocksPerSecond),
    confirmedAt: confirmedAt.toISOString(),
  };
}

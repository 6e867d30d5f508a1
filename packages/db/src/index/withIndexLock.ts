import { createHash } from "node:crypto";
import type { ReservedSql } from "postgres";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";

/**
 * Runs the work unless another process runs it for this contract, so that two workers do not fetch the same logs. The lock
 * only saves requests; the index stays correct without it, because `storeLogs` rejects a batch that does not follow the checkpoint.
 *
 * @returns null when another process holds the lock.
 */
export async function withIndexLock<T>(
  database: Database,
  { chainId, contract }: ContractScope,
  work: () => Promise<T>,
): Promise<T | null> {
  const key = createHash("sha256").update(`index ${chainId} ${contract}`).digest().readBigInt64BE().toString();
  const connection = await reserve(database);
  try {
    const [row] = await database.run(
      "lock the index",
      () => connection<{ taken: boolean }[]>`select pg_try_advisory_lock(${key}) as taken`,
    );
    if (row?.taken !== true) return null;
    try {
      return await work();
    } finally {
      await database.run("unlock the index", () => connection`select pg_advisory_unlock(${key})`);
    }
  } finally {
    connection.release();
  }
}

async function reserve({ sql, run }: Database): Promise<ReservedSql> {
  const reserving = sql.reserve();
  try {
    return await run("take a connection", () => reserving);
  } catch (error) {
    // One that comes after the deadline would stay reserved.
    reserving.then((connection) => connection.release()).catch(() => {});
    throw error;
  }
}

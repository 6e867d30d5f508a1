import { Database, SQLiteError } from "bun:sqlite";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Locks a folder for this process until `release()` or the end of the process. The lock is SQLite's lock on an empty file, which
 * the kernel releases when the process ends for any reason; a plain lock file would outlive a killed process.
 *
 * @throws Error that names the holder if another process (or another call in this one) has locked the folder
 */
export async function lockFolder(folder: string): Promise<{ release(): void }> {
  const holderFile = join(folder, "owner.pid");
  const database = new Database(join(folder, "owner.lock"));
  try {
    database.run("BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    if (!(cause instanceof SQLiteError && cause.code === "SQLITE_BUSY")) throw cause;
    const holder = await readFile(holderFile, "utf8").catch(() => "unknown");
    throw new Error(
      `the data folder ${folder} is in use by another running process (pid ${holder}): stop it, or choose another DATA_DIR`,
      { cause },
    );
  }
  await writeFile(holderFile, String(process.pid));
  return { release: () => database.close() };
}

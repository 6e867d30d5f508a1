import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearLeftover } from "./clusterFiles";

/** Mode bits: the group or every user may write. */
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Creates a folder (by default among the system's temporary ones) with mode 0700 and a random name. The name also contains the pid, so that a later process can check
 * whether the owner still runs.
 */
export function makeProcessFolder(prefix: string, parent = tmpdir()): Promise<string> {
  return mkdtemp(join(parent, `${prefix}${process.pid}-`));
}

/** Stops the servers and removes the folders of processes that were killed. Folders of other users, and links, are not touched. */
export async function removeAbandonedFolders(prefix: string, parent = tmpdir()): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const folder = join(parent, name);
    if (!(await isOwn(folder))) continue;
    await clearLeftover(join(folder, "cluster"));
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Whether only this user could have put anything into the folder. Every user can create links in a temporary folder: without this
 * check, a link to a folder of this user would make this process destroy the database in it. False for a folder that was removed
 * meanwhile.
 */
export async function isOwn(folder: string): Promise<boolean> {
  return (await lastChange(folder)) !== null;
}

/** When a folder that is this user's own (`isOwn`) was changed last; null for any other. */
export async function lastChange(folder: string): Promise<Date | null> {
  const found = await lstat(folder).catch(() => null);
  if (found === null || !found.isDirectory()) return null;
  const isOwned = found.uid === process.getuid?.() && (found.mode & WRITABLE_BY_OTHERS) === 0;
  return isOwned ? found.mtime : null;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists, but may not be signalled.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

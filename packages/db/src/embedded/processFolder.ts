import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearLeftover } from "./clusterFiles";

/** A new temporary folder for a cluster, named after this process: whoever finds it can tell whether its owner is gone. */
export function makeProcessFolder(prefix: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
}

/** Ends the servers and removes the folders of processes that were killed. Those of other users are left alone. */
export async function removeAbandonedFolders(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const folder = join(tmpdir(), name);
    if (!(await isOwn(folder))) continue;
    await clearLeftover(join(folder, "cluster"));
    await rm(folder, { recursive: true, force: true });
  }
}

/** A folder that is gone by now is nobody's. */
async function isOwn(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => null);
  return found !== null && found.uid === process.getuid?.();
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user may not be asked, and is alive.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

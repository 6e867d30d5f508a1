import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearLeftover } from "@dueday/db/embedded/clusterFiles";

const PREFIX = "dueday-demo-";
const FOLDER = /^dueday-demo-(\d+)-/;

/** A new folder for this demo, named after its process. */
export function makeDemoFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

/** Ends the databases and removes the folders of demos that were killed. */
export async function removeAbandonedDemos(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = FOLDER.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const folder = join(tmpdir(), name);
    await clearLeftover(join(folder, "cluster"));
    await rm(folder, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
